-- Reserves the next slot of an origin by the server's clock. If the slot begins at once, adds a hold to the other lane.
-- KEYS: pace, epoch, record of handed-on slots, pace of the other lane (optional).
-- ARGV, times in µs:
--   1 interval
--   2 window
--   3 minimum delay before the slot
--   4 maximum wait; if negative, the script returns the wait and reserves no slot
--   5 maximum distance of the end of a slot
--   6 minimum lifetime of the pace
--   7 number of the request
--   8 server time after which the caller no longer waits for the answer, or ''
--   9 duration of the hold on the other lane
--   10 1 if the slot is handed on
--   11 epoch of the handed-on slots that the caller knows, or ''
--   12 time from now to the end of those slots
-- Returns {1 reserved, 0 too far off, or 2 too late; wait in µs; server time; epoch; 1 if the value of another program
-- was removed; time in µs from now to the end of the handed-on slots}.
local now = clock()
local interval, window, furthest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
if ARGV[8] ~= '' and now > tonumber(ARGV[8]) then
  return {2, 0, now, 0, 0, 0}
end
local epoch, is_new, former_master_until = epoch_of(KEYS[2], now)
local handed_on_end, floor = handed_on(KEYS[3], now, now + furthest)
local floor_before = floor
if is_new then
  floor = math.max(floor, handed_on_end, former_master_until)
end
if ARGV[11] ~= text(epoch) and tonumber(ARGV[12]) > 0 then
  -- The server has lost handed-on slots that the caller knows.
  floor = math.max(floor, now + math.min(tonumber(ARGV[12]), furthest))
end
if floor > floor_before or (is_new and floor > now) then
  keep_handed_on(KEYS[3], handed_on_end, floor, now)
end
-- Latest possible end of a slot of the origin that the server has lost.
local lost_until = math.max(epoch, floor)
local mended = mend(KEYS[1], 'hash')
local row = redis.call('HMGET', KEYS[1], 'last', 'held', 'longest', 'written')
for _, value in ipairs(row) do
  if value and not number(value) then
    mended = 1
  end
end
local last, held = number(row[1]), number(row[2]) or 0
local longest, written = number(row[3]) or 0, number(row[4]) or now
if mended == 1 then
  -- Another program changed the pace, so the earlier reservations are unknown.
  redis.call('DEL', KEYS[1])
  last, held, longest, written = now, 0, 0, now
elseif not last then
  last = lost_until
end
-- If the clock was set back, times that were written before are moved back by the same step.
local ahead = math.max(written - now, 0)
-- Reduce times that are beyond the maximum distance.
last = math.max(math.min(last - ahead, now + furthest), lost_until)
held = math.min(held - ahead, now + furthest)
longest = math.max(math.min(longest, furthest), interval)

local function keep(last, request, before)
  redis.call('HSET', KEYS[1], 'last', text(last), 'number', request, 'before', text(before), 'held', text(held),
    'longest', text(longest), 'written', text(now))
  local kept = math.max(last + math.max(longest, tonumber(ARGV[6])), held) - now
  redis.call('PEXPIRE', KEYS[1], text(math.ceil(kept / 1000)))
end
local function answer(state, wait)
  return {state, wait, now, epoch, mended, math.max(handed_on_end, floor, now) - now}
end

if redis.call('HGET', KEYS[1], 'number') == ARGV[7] then
  -- The caller repeats a request whose answer was lost.
  return answer(1, math.max(last - window - now, 0))
end
local slot = math.max(now + math.min(tonumber(ARGV[3]), furthest), last + interval, held)
local wait = slot - now
if wait > tonumber(ARGV[4]) or wait + window > furthest then
  if ahead > 0 or mended == 1 or (number(row[1]) or 0) > now + furthest or (number(row[2]) or 0) > now + furthest then
    keep(last, '', last)
  end
  return answer(0, wait)
end
keep(slot + window, ARGV[7], last)
if KEYS[4] and wait <= 0 then
  mended = math.max(mended, hold_back(KEYS[4], now, tonumber(ARGV[9])))
end
if ARGV[10] == '1' and slot + window > handed_on_end then
  handed_on_end = slot + window
  keep_handed_on(KEYS[3], handed_on_end, floor, now)
end
return answer(1, wait)
