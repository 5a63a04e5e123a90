-- Keeps slots back by the server's clock.
-- KEYS: pace. ARGV: how long, in µs.
-- Answers whether something foreign was removed.
local now = clock()
local mended = mend(KEYS[1], 'hash')
local held = now + tonumber(ARGV[1])
if held > (number(redis.call('HGET', KEYS[1], 'held')) or 0) then
  redis.call('HSET', KEYS[1], 'held', text(held), 'written', text(now))
  local kept = math.ceil((held - now) / 1000)
  if redis.call('PTTL', KEYS[1]) < kept then
    redis.call('PEXPIRE', KEYS[1], text(kept))
  end
end
return mended
