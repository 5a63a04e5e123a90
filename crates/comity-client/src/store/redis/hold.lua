-- Adds a hold by the server's clock: no slot of the pace begins before its end.
-- KEYS: pace. ARGV: duration in µs.
-- Returns 1 if the value of another program was removed.
return hold_back(KEYS[1], clock(), tonumber(ARGV[1]))
