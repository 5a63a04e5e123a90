-- Keeps slots back by the server's clock.
-- KEYS: pace. ARGV: how long, in µs.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local held = now + tonumber(ARGV[1])
local known = tonumber(redis.call('HGET', KEYS[1], 'held') or 0)
if held > known then
  redis.call('HSET', KEYS[1], 'held', string.format('%.0f', held))
  local kept = math.ceil((held - now) / 1000)
  if redis.call('PTTL', KEYS[1]) < kept then
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', kept))
  end
end
return 1
