-- Takes the next slot of an origin by the server's clock. If it begins at once, slots of another lane are kept back.
-- KEYS: pace, epoch, the pace of the other lane (or none). ARGV, in µs: interval, window, the soonest that the caller knows to be right, the longest it waits
-- (less than 0: only look), how far off a slot can be, how long an origin is kept at least; the number of the request;
-- the time at which the caller has given up, or ''; for how long the other lane is kept back.
-- Answers {1 taken, 0 too far, 2 too late; wait in µs; time; epoch; whether something foreign was removed}.
local now = clock()
local interval, window, furthest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
if ARGV[8] ~= '' and now > tonumber(ARGV[8]) then
  return {2, 0, now, 0, 0}
end
local epoch = epoch_of(KEYS[2], now)
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
  -- Nobody knows any more who had a slot.
  redis.call('DEL', KEYS[1])
  last, held, longest, written = now, 0, 0, now
elseif not last then
  last = epoch
end
-- What was written in the future, before the clock was set back, counts from now.
local ahead = math.max(written - now, 0)
-- Nothing is further off than it can be; and before the epoch nobody knows.
last = math.max(math.min(last - ahead, now + furthest), epoch)
held = math.min(held - ahead, now + furthest)
longest = math.max(math.min(longest, furthest), interval)

local function keep(last, request, before)
  redis.call('HSET', KEYS[1], 'last', text(last), 'number', request, 'before', text(before), 'held', text(held),
    'longest', text(longest), 'written', text(now))
  local kept = math.max(last + math.max(longest, tonumber(ARGV[6])), held) - now
  redis.call('PEXPIRE', KEYS[1], text(math.ceil(kept / 1000)))
end

if redis.call('HGET', KEYS[1], 'number') == ARGV[7] then
  -- Asked again, since the answer was lost.
  return {1, math.max(last - window - now, 0), now, epoch, mended}
end
local slot = math.max(now + math.min(tonumber(ARGV[3]), furthest), last + interval, held)
local wait = slot - now
if wait > tonumber(ARGV[4]) or wait + window > furthest then
  if ahead > 0 or mended == 1 or (number(row[1]) or 0) > now + furthest or (number(row[2]) or 0) > now + furthest then
    keep(last, '', last)
  end
  return {0, wait, now, epoch, mended}
end
keep(slot + window, ARGV[7], last)
if KEYS[3] and wait <= 0 then
  mended = math.max(mended, hold_back(KEYS[3], now, tonumber(ARGV[9])))
end
return {1, wait, now, epoch, mended}
