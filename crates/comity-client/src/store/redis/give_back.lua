-- Gives a slot back, unless a later one was taken after it.
-- KEYS: pace. ARGV: the number of the request that took it.
if redis.pcall('HGET', KEYS[1], 'number') == ARGV[1] then
  local before = redis.call('HGET', KEYS[1], 'before')
  if number(before) then
    redis.call('HSET', KEYS[1], 'last', before, 'number', '')
  end
end
return 1
