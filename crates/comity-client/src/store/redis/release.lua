-- Gives a lease back if it is still the one that is held.
-- KEYS: lease. ARGV: number.
if redis.pcall('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
