-- Common functions of the scripts. Foreign values under our keys do not cause errors. A value that is not a number counts
-- as absent.
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
-- Returns a number that a double represents exactly, or nil. A value that is not a string (absent, an error) is not a
-- number.
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
-- Returns the start of the epoch: the server has all data written since then. Also returns true if the epoch begins now.
-- Slots may have been reserved in earlier epochs.
local function epoch_of(key, now)
  local epoch = number(redis.pcall('GET', key))
  if epoch and epoch <= now and epoch >= 0 then
    return epoch, false
  end
  redis.call('SET', key, text(now))
  return now, true
end
-- Returns two times for handed-on slots, which are never confirmed: the end of the last such slot, and the floor. Until the
-- floor, an origin without data may have a slot that the server has lost. Times written in the future are counted from now.
-- Both times are at most `most`.
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
-- Removes a value of a foreign type. Returns 1 if there was one.
local function mend(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
    return 1
  end
  return 0
end
-- Holds the slots of a pace back for `long` µs. Returns 1 if a foreign value was removed.
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
