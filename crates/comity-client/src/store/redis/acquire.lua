-- Grants the lease of an origin, or says how long another is held.
-- KEYS: lease, fence, entry. ARGV: how long the lease is held and how long its number is known, in ms.
-- Answers {granted, number or ms, sealed bytes, whether something foreign was removed}.
local held = redis.call('PTTL', KEYS[1])
if held > tonumber(ARGV[1]) then
  -- No lease is held for longer than one that is asked for now.
  held = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
if held >= 0 then
  return {0, math.max(held, 1), false, 0}
end
-- Numbers are twice the time in µs, so that they grow even if the server forgot everything, and are even.
local lease = clock() * 2
local last = number(redis.pcall('GET', KEYS[2]))
if last and lease <= last and last < 9007199254740000 then
  lease = last + 2
end
redis.call('SET', KEYS[1], text(lease), 'PX', ARGV[1])
redis.call('SET', KEYS[2], text(lease), 'PX', ARGV[2])
local mended = mend(KEYS[3], 'hash')
return {1, lease, redis.call('HGET', KEYS[3], 'sealed'), mended}
