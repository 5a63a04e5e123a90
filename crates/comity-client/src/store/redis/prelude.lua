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
-- Returns the start of the epoch, and true if the epoch begins now. The server has all data that was written since the
-- start. Slots that were reserved earlier may be lost.
local function epoch_of(key, now)
  local epoch = number(redis.pcall('GET', key))
  if epoch and epoch <= now and epoch >= 0 then
    return epoch, false
  end
  redis.call('SET', key, text(now))
  return now, true
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
local function keep_handed_on(key, handed_on_end, floor, now)
  redis.call('HSET', key, 'until', text(handed_on_end), 'floor', text(floor), 'written', text(now))
  redis.call('PEXPIRE', key, text(math.max(math.ceil((math.max(handed_on_end, floor) - now) / 1000), 1)))
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
  local held = now + long
  if held > (number(redis.call('HGET', key, 'held')) or 0) then
    redis.call('HSET', key, 'held', text(held), 'written', text(now))
    local kept = math.ceil(long / 1000)
    if redis.call('PTTL', key) < kept then
      redis.call('PEXPIRE', key, text(kept))
    end
  end
  return mended
end
