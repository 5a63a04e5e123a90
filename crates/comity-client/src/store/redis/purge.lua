-- Removes an entry that was put before a time.
-- KEYS: entry. ARGV: time in µs since 1970.
-- Answers 1 if it was removed.
local put = redis.call('HGET', KEYS[1], 'put')
if put and tonumber(put) < tonumber(ARGV[1]) then
  return redis.call('DEL', KEYS[1])
end
return 0
