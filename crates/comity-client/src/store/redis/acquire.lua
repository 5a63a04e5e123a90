-- Grants the lease of an origin, or says how long another is held.
-- KEYS: lease, fence. ARGV: how long the lease is held and how long its number is known, in ms.
-- Answers {granted, number or ms}.
local held = redis.call('PTTL', KEYS[1])
if held >= 0 then
  return {0, math.max(held, 1)}
end
-- Numbers are twice the time in µs, so that they grow even if the server forgot everything, and are even.
local time = redis.call('TIME')
local number = (tonumber(time[1]) * 1000000 + tonumber(time[2])) * 2
local last = redis.call('GET', KEYS[2])
if last and number <= tonumber(last) then
  number = tonumber(last) + 2
end
local text = string.format('%.0f', number)
redis.call('SET', KEYS[1], text, 'PX', ARGV[1])
redis.call('SET', KEYS[2], text, 'PX', ARGV[2])
return {1, number}
