-- Says whether a slot still counts: the server has not forgotten it.
-- KEYS: pace, epoch. ARGV: the epoch in which it was taken, and its end.
-- Answers 1 if it does.
local last = number(redis.pcall('HGET', KEYS[1], 'last'))
if redis.pcall('GET', KEYS[2]) == ARGV[1] and last and last >= tonumber(ARGV[2]) then
  return 1
end
return 0
