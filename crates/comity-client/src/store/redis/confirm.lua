-- Says whether a slot still counts: the server has not forgotten it, and nothing keeps it back.
-- KEYS: pace, epoch. ARGV: the epoch in which it was taken, its end, and how far off a hold can be, in µs.
-- Answers for how many µs it is kept back, or -1 if it is forgotten.
local last = number(redis.pcall('HGET', KEYS[1], 'last'))
if redis.pcall('GET', KEYS[2]) == ARGV[1] and last and last >= tonumber(ARGV[2]) then
  local now = clock()
  local held = number(redis.pcall('HGET', KEYS[1], 'held')) or 0
  local written = number(redis.pcall('HGET', KEYS[1], 'written')) or now
  return math.max(math.min(held - math.max(written - now, 0), now + tonumber(ARGV[3])) - now, 0)
end
return -1
