-- Makes a provisional task one that clients see.
--
-- KEYS  1 task  2 events  3 changes  4 index of the tenant  5 of the state
--       6 of the context  7 leases
-- ARGV  1 change id  2 task id  3 tenant  4 expected revision  5 at, ms
--       6 payload  7 trace  8 most events a log  9 lease token or ''
-- Reply 'ok', also when it is one already | 'conflict' | 'gone' | 'fenced'
local task, events, changes = KEYS[1], KEYS[2], KEYS[3]
local e = {
  id = ARGV[1], task = ARGV[2], tenant = ARGV[3], at_ms = ARGV[5], kind = 'TaskCreated',
  revision = tonumber(ARGV[4]) + 1, payload = ARGV[6], trace = ARGV[7], log_max_events = ARGV[8],
}
local held = redis.call('HMGET', task, 'revision', 'provisional', 'member')
if not held[1] then return 'gone' end
if not held[2] then return 'ok' end
if tonumber(held[1]) ~= e.revision - 1 then return 'conflict' end
if not holds(KEYS[7], e.task, ARGV[9]) then return 'fenced' end

redis.call('HSET', task, 'revision', e.revision)
redis.call('HDEL', task, 'provisional')
for i = 4, 6 do redis.call('ZADD', KEYS[i], 0, held[3]) end
record(events, changes, e)
return 'ok'
