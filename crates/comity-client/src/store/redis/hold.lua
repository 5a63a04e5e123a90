-- Holds slots back by the server's clock.
-- KEYS: pace. ARGV: duration in µs.
-- Returns 1 if a foreign value was removed.
return hold_back(KEYS[1], clock(), tonumber(ARGV[1]))
