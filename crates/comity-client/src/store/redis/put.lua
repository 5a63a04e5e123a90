-- Writes an entry and releases the writer's lease, unless a later lease was granted.
-- KEYS: entry, fence, lease. ARGV: sealed bytes, their lifetime in ms, number of the lease or ''.
-- Returns {1 if the entry was written, 1 if the value of another program was removed}.
local mended = mend(KEYS[2], 'string') + mend(KEYS[3], 'string')
if ARGV[3] ~= '' then
  -- If the fence is absent, the server has lost its data, and no lease was granted since then.
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
