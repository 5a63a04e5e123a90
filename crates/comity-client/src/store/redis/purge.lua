-- Removes an entry that was put before a time, or does not say when.
-- KEYS: entry. ARGV: time in µs since 1970.
-- Answers 1 if it was removed.
local put = number(redis.pcall('HGET', KEYS[1], 'put'))
if not put or put < tonumber(ARGV[1]) then
  return redis.call('DEL', KEYS[1])
end
return 0
