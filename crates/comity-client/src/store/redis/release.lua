-- Releases a lease if it is still the current one.
-- KEYS: lease. ARGV: number of the lease.
if redis.pcall('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
