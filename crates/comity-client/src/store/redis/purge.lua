-- Removes an entry that was written before the given time, or whose write time is unknown.
-- KEYS: entry. ARGV: time in µs since 1970.
-- Returns 1 if the entry was removed.
local put = number(redis.pcall('HGET', KEYS[1], 'put'))
if not put or put < tonumber(ARGV[1]) then
  return redis.call('DEL', KEYS[1])
end
return 0
