-- Reserves one of a tenant's tasks, if it may have another.
--
-- KEYS  1 count
-- ARGV  1 most  2 tasks counted, for a count that does not exist yet
-- Reply 1 | 0 when there are as many as there may be
redis.call('SET', KEYS[1], ARGV[2], 'NX')
if tonumber(redis.call('GET', KEYS[1])) >= tonumber(ARGV[1]) then return 0 end
redis.call('INCR', KEYS[1])
return 1
