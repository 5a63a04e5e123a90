-- Says whether a slot still counts: the server has not forgotten it, and nothing keeps it back.
-- KEYS: pace, epoch, what is known of slots that were handed on. ARGV: the epoch in which it was taken, its end, and how far off a hold can
-- be, in µs.
-- Answers for how many µs it is kept back, or -1 if it is forgotten.
local last = number(redis.pcall('HGET', KEYS[1], 'last'))
if redis.pcall('GET', KEYS[2]) == ARGV[1] and last and last >= tonumber(ARGV[2]) then
  local now = clock()
  local most = now + tonumber(ARGV[3])
  local held = number(redis.pcall('HGET', KEYS[1], 'held')) or 0
  local written = number(redis.pcall('HGET', KEYS[1], 'written')) or now
  -- A floor can be put under slots that were taken before somebody told the server of it.
  local _, floor = handed_on(KEYS[3], now, most)
  return math.max(math.min(held - math.max(written - now, 0), most) - now, floor - now, 0)
end
return -1
