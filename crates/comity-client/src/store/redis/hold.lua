-- Keeps slots back by the server's clock.
-- KEYS: pace. ARGV: how long, in µs.
-- Answers whether something foreign was removed.
return hold_back(KEYS[1], clock(), tonumber(ARGV[1]))
