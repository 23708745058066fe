-- Rewrites a webhook's stored value, unless it has changed meanwhile.
--
-- KEYS  1 configs
-- ARGV  1 config id  2 value as it was read  3 value to write
-- Reply 1 | 0 when it has changed
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
