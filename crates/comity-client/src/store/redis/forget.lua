-- Begins a new epoch. Slots that were reserved before the new epoch count as lost.
-- KEYS: epoch, record of handed-on slots.
local now = clock()
redis.call('SET', KEYS[1], text(now))
local handed_on_end, floor = handed_on(KEYS[2], now, 9007199254740992)
floor = math.max(handed_on_end, floor)
if floor > now then
  keep_handed_on(KEYS[2], handed_on_end, floor, now)
end
return 1
