-- Checks whether a slot is still valid: the server is the same and has not lost its data, and no hold applies.
-- KEYS: pace, epoch, record of handed-on slots. ARGV: epoch in which the slot was reserved, end of the slot in µs,
-- maximum length of a hold in µs.
-- Returns the remaining hold in µs, or -1 if the server lost the slot.
local last = number(redis.pcall('HGET', KEYS[1], 'last'))
local epoch, id = stored_epoch(KEYS[2])
if epoch and text(epoch) == ARGV[1] and id == replication() and last and last >= tonumber(ARGV[2]) then
  local now = clock()
  local most = now + tonumber(ARGV[3])
  local held = number(redis.pcall('HGET', KEYS[1], 'held')) or 0
  local written = number(redis.pcall('HGET', KEYS[1], 'written')) or now
  -- The floor also applies to slots that were reserved before a caller reported the handed-on slots.
  local _, floor = handed_on(KEYS[3], now, most)
  return math.max(math.min(held - math.max(written - now, 0), most) - now, floor - now, 0)
end
return -1
