-- Takes the next slot of an origin by the server's clock.
-- KEYS: pace. ARGV, in µs: interval, the soonest that suits the caller, the longest it waits (less than 0: only look),
-- how long an origin is kept at least.
-- Answers {taken, wait in µs}.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local interval = tonumber(ARGV[1])
local known = redis.call('HMGET', KEYS[1], 'last', 'held', 'longest')
local slot = now + tonumber(ARGV[2])
if known[1] then
  slot = math.max(slot, tonumber(known[1]) + interval)
end
local held = tonumber(known[2] or 0)
slot = math.max(slot, held)
local wait = slot - now
if wait > tonumber(ARGV[3]) then
  return {0, wait}
end
local longest = math.max(tonumber(known[3] or 0), interval)
redis.call('HSET', KEYS[1], 'last', string.format('%.0f', slot), 'longest', string.format('%.0f', longest))
local kept = math.max(slot + math.max(longest, tonumber(ARGV[4])), held) - now
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil(kept / 1000)))
return {1, wait}
