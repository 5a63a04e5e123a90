-- Begins a new epoch, if it is forced or the server has none. Slots that were reserved before the new epoch count as
-- lost.
-- KEYS: epoch, record of handed-on slots. ARGV: 1 to force a new epoch.
local now = clock()
local _, is_new, former_master_until = epoch_of(KEYS[1], now)
if ARGV[1] == '1' then
  begin_epoch(KEYS[1], now)
elseif not is_new then
  return 0
end
local handed_on_end, floor = handed_on(KEYS[2], now, 9007199254740992)
floor = math.max(handed_on_end, floor, former_master_until)
if floor > now then
  keep_handed_on(KEYS[2], handed_on_end, floor, now)
end
return 1
