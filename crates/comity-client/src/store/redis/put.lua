-- Writes an entry, unless a later lease than the writer's was granted.
-- The writer's lease is given back.
-- KEYS: entry, fence, lease. ARGV: sealed bytes, how long they are kept in ms, number of the lease or ''.
-- Answers 1 if it was written.
if ARGV[3] ~= '' then
  -- No number means that nobody was granted a lease since the server lost its memory.
  local latest = redis.call('GET', KEYS[2])
  if latest and latest ~= ARGV[3] then
    return 0
  end
  if redis.call('GET', KEYS[3]) == ARGV[3] then
    redis.call('DEL', KEYS[3])
  end
end
local time = redis.call('TIME')
local put = string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))
redis.call('HSET', KEYS[1], 'sealed', ARGV[1], 'put', put)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
