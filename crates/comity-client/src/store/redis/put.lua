-- Writes an entry, unless a later lease than the writer's was granted.
-- The writer's lease is given back.
-- KEYS: entry, fence, lease. ARGV: sealed bytes, how long they are kept in ms, number of the lease or ''.
-- Answers {whether it was written, whether something foreign was removed}.
local mended = mend(KEYS[2], 'string') + mend(KEYS[3], 'string')
if ARGV[3] ~= '' then
  -- No number means that nobody was granted a lease since the server lost its memory.
  local latest = redis.call('GET', KEYS[2])
  if latest and latest ~= ARGV[3] then
    return {0, mended}
  end
  if redis.call('GET', KEYS[3]) == ARGV[3] then
    redis.call('DEL', KEYS[3])
  end
end
mended = mended + mend(KEYS[1], 'hash')
redis.call('HSET', KEYS[1], 'sealed', ARGV[1], 'put', text(clock()))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, mended}
