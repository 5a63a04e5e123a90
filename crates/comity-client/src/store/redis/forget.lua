-- Begins a new epoch: nobody knows who had a slot before it.
-- KEYS: epoch.
redis.call('SET', KEYS[1], text(clock()))
return 1
