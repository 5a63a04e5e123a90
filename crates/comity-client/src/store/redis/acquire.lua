-- Grants the lease of an origin, or returns the remaining time of the current lease.
-- KEYS: lease, fence, entry. ARGV: duration of the lease, and lifetime of the fence with its number, in ms.
-- Returns {granted, lease number or remaining ms, sealed bytes, 1 if a foreign value was removed}.
local held = redis.call('PTTL', KEYS[1])
if held > tonumber(ARGV[1]) then
  -- No lease may last longer than a lease that is requested now.
  held = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
if held >= 0 then
  return {0, math.max(held, 1), false, 0}
end
-- Lease numbers are twice the time in µs. They are therefore even, and grow even if the server loses its data.
local lease = clock() * 2
local last = number(redis.pcall('GET', KEYS[2]))
if last and lease <= last and last < 9007199254740000 then
  lease = last + 2
end
redis.call('SET', KEYS[1], text(lease), 'PX', ARGV[1])
redis.call('SET', KEYS[2], text(lease), 'PX', ARGV[2])
local mended = mend(KEYS[3], 'hash')
return {1, lease, redis.call('HGET', KEYS[3], 'sealed'), mended}
