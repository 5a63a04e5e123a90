-- What scripts share. Foreign values under our keys are no reason to fail: what is no number counts as absent.
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
-- A number that can be counted exactly, or nil. What is no text (absent, an error) is no number.
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
-- Since when the server remembers: before that, somebody may have had a slot.
local function epoch_of(key, now)
  local epoch = number(redis.pcall('GET', key))
  if not epoch or epoch > now or epoch < 0 then
    epoch = now
    redis.call('SET', key, text(now))
  end
  return epoch
end
-- Removes a value that is not ours. Answers 1 if there was one.
local function mend(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
    return 1
  end
  return 0
end
-- Keeps the slots of a pace back for so many µs. Answers whether something foreign was removed.
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
