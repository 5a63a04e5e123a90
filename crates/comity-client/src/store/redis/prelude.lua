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
-- Since when the server remembers: before that, somebody may have had a slot. Answers also whether that begins now.
local function epoch_of(key, now)
  local epoch = number(redis.pcall('GET', key))
  if epoch and epoch <= now and epoch >= 0 then
    return epoch, false
  end
  redis.call('SET', key, text(now))
  return now, true
end
-- What is known of slots that were handed on, which nobody confirms: until when the last of them reaches, and the floor, the time until
-- which an origin that the server has forgotten may have had one. What was written in the future counts from now, and nothing is further
-- ahead than `most`.
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
local function keep_handed_on(key, reach, floor, now)
  redis.call('HSET', key, 'until', text(reach), 'floor', text(floor), 'written', text(now))
  redis.call('PEXPIRE', key, text(math.max(math.ceil((math.max(reach, floor) - now) / 1000), 1)))
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
