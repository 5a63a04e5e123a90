-- Returns a slot, unless a later slot was reserved after it.
-- KEYS: pace. ARGV: number of the request that reserved the slot.
if redis.pcall('HGET', KEYS[1], 'number') == ARGV[1] then
  local before = redis.call('HGET', KEYS[1], 'before')
  if number(before) then
    redis.call('HSET', KEYS[1], 'last', before, 'number', '')
  end
end
return 1
