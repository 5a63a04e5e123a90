-- Begins a new epoch: nobody knows who had a slot before it.
-- KEYS: epoch, what is known of slots that were handed on.
local now = clock()
redis.call('SET', KEYS[1], text(now))
local reach, floor = handed_on(KEYS[2], now, 9007199254740992)
floor = math.max(reach, floor)
if floor > now then
  keep_handed_on(KEYS[2], reach, floor, now)
end
return 1
