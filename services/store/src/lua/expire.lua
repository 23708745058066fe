-- Removes a finished task with all its keys, unless something is still to be
-- sent of it.
--
-- KEYS  1 expiry  2 task  3 due deliveries  4 leases of deliveries  5 tenants
--       6 index of the tenant  7 of the state  8 of the context  9.. all else
--       of the task
-- ARGV  1 task id  2 tenant  3 ended before, ms  4.. lane members
-- Reply 'removed' | 'kept'
local expiry, task, due, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ended = redis.call('ZSCORE', expiry, ARGV[1])
if not ended or tonumber(ended) > tonumber(ARGV[3]) then return 'kept' end
for i = 4, #ARGV do
  if redis.call('ZSCORE', due, ARGV[i]) then return 'kept' end
end

local member = redis.call('HGET', task, 'member')
for i = 6, 8 do
  if member then redis.call('ZREM', KEYS[i], member) end
end
if redis.call('EXISTS', KEYS[6]) == 0 then redis.call('SREM', KEYS[5], ARGV[2]) end
for i = 4, #ARGV do redis.call('HDEL', leases, ARGV[i]) end
redis.call('DEL', task)
for i = 9, #KEYS do redis.call('DEL', KEYS[i]) end
redis.call('ZREM', expiry, ARGV[1])
return 'removed'
