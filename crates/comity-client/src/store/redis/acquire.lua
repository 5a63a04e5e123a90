-- Grants the lease of an origin, or returns the remaining time of the current lease.
-- KEYS: lease, fence (number of the latest lease), entry. ARGV: duration of the lease and lifetime of the fence, both
-- in ms.
-- Returns {1 if granted, lease number or remaining time in ms, sealed entry, 1 if the value of another program was
-- removed}.
local held = redis.call('PTTL', KEYS[1])
if held > tonumber(ARGV[1]) then
  -- The current lease cannot last longer than the lease that is requested now.
  held = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
if held >= 0 then
  return {0, math.max(held, 1), false, 0}
end
-- Lease numbers are twice the time in µs. So they are even, and they increase even if the server loses its data.
local lease = clock() * 2
local last = number(redis.pcall('GET', KEYS[2]))
if last and lease <= last and last < 9007199254740000 then
  lease = last + 2
end
redis.call('SET', KEYS[1], text(lease), 'PX', ARGV[1])
redis.call('SET', KEYS[2], text(lease), 'PX', ARGV[2])
local mended = mend(KEYS[3], 'hash')
return {1, lease, redis.call('HGET', KEYS[3], 'sealed'), mended}
