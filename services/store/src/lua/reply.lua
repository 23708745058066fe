-- Answers the message of a provisional task with a message; no task remains.
-- The reply is kept for callers that did not hear it.
--
-- KEYS  1 task  2 reply  3 changes  4 due work  5 leases  6.. all else of the
--       task
-- ARGV  1 task id  2 tenant  3 lease token or ''  4 payload  5 trace
--       6 keep the reply, ms  7 id of the reply
-- Reply 'ok', also when this very reply was given before | 'conflict' when the
--       task is one that clients see | 'gone', also after another reply |
--       'fenced'
local task, reply = KEYS[1], KEYS[2]
local given = redis.call('HGET', reply, 'id')
if given then return given == ARGV[7] and 'ok' or 'gone' end
local held = redis.call('HMGET', task, 'revision', 'provisional')
if not held[1] then return 'gone' end
if not held[2] then return 'conflict' end
if not holds(KEYS[5], ARGV[1], ARGV[3]) then return 'fenced' end

redis.call('HSET', reply, 'id', ARGV[7], 'payload', ARGV[4])
redis.call('PEXPIRE', reply, ARGV[6])
rest(KEYS[4], KEYS[5], ARGV[1])
redis.call('DEL', task)
for i = 6, #KEYS do redis.call('DEL', KEYS[i]) end
announce(KEYS[3], {
  kind = 'MessageReplied', task = ARGV[1], tenant = ARGV[2], revision = tonumber(held[1]) + 1,
  payload = ARGV[4], trace = ARGV[5],
})
return 'ok'
