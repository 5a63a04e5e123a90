-- Common functions of the scripts. The value of another program under a key of this store does not cause an error. A
-- value that is not a number counts as absent.
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
-- Parses an integer that a double represents exactly. Returns nil for other texts, for an absent value, and for an
-- error.
local function number(text)
  local value = type(text) == 'string' and tonumber(text) or nil
  if value and value >= -9007199254740992 and value <= 9007199254740992 then
    return value
  end
  return nil
end
local function text(value)
  return string.format('%.0f', value)
end
-- Returns the replication ID of the server. It changes when the server starts, and when a replica becomes the master.
local function replication()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''
end
-- Returns the start of the stored epoch and the replication ID under which it began, or nil.
local function stored_epoch(key)
  local value = redis.pcall('GET', key)
  local start, id = string.match(type(value) == 'string' and value or '', '^(%d+) (%x*)$')
  return number(start), id
end
local function begin_epoch(key, now)
  redis.call('SET', key, text(now) .. ' ' .. replication())
end
-- Time in µs for which a former master may still answer clients after its replica has become the master.
local FORMER_MASTER = 5000000
-- Returns the start of the epoch, true if the epoch begins now, and the time up to which a former master may have
-- granted slots. The server has all data that was written since the start. Slots that were reserved earlier may be lost.
local function epoch_of(key, now)
  local epoch, id = stored_epoch(key)
  local is_same = id == replication()
  if epoch and epoch <= now and is_same then
    return epoch, false, 0
  end
  begin_epoch(key, now)
  return now, true, epoch and not is_same and now + FORMER_MASTER or 0
end
-- Returns the end of the last handed-on slot, and the floor. The floor is the latest end of a handed-on slot that the
-- server may have lost. Times that were written in the future are moved back to count from now. Both times are at most
-- `most`.
local function handed_on(key, now, most)
  local found = redis.pcall('HMGET', key, 'until', 'floor', 'written')
  if found.err then
    redis.call('DEL', key)
    found = {}
  end
  local ahead = math.max((number(found[3]) or now) - now, 0)
  local function time(field)
    return math.min((number(field) or 0) - ahead, most)
  end
  return time(found[1]), time(found[2])
end
-- Keeps both times for a day after they have passed, since origins with long intervals count from them.
local function keep_handed_on(key, handed_on_end, floor, now)
  redis.call('HSET', key, 'until', text(handed_on_end), 'floor', text(floor), 'written', text(now))
  redis.call('PEXPIRE', key, text(math.ceil(math.max(handed_on_end - now, floor - now, 0) / 1000) + 86400000))
end
-- Removes a value with another type than `kind`, which another program wrote. Returns 1 if such a value was removed.
local function mend(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
    return 1
  end
  return 0
end
-- Adds a hold: no slot of the pace begins in the next `long` µs. Returns 1 if the value of another program was removed.
local function hold_back(key, now, long)
  local mended = mend(key, 'hash')
  local row = redis.call('HMGET', key, 'last', 'before', 'held', 'written')
  -- If the clock was set back, times that were written before are moved back by the same step.
  local ahead = math.max((number(row[4]) or now) - now, 0)
  if ahead > 0 then
    for index, field in ipairs({'last', 'before', 'held'}) do
      if number(row[index]) then
        redis.call('HSET', key, field, text(number(row[index]) - ahead))
      end
    end
    redis.call('HSET', key, 'written', text(now))
  end
  local held = now + long
  if held > (number(row[3]) or 0) - ahead then
    redis.call('HSET', key, 'held', text(held), 'written', text(now))
    local kept = math.ceil(long / 1000)
    if redis.call('PTTL', key) < kept then
      redis.call('PEXPIRE', key, text(kept))
    end
  end
  return mended
end
