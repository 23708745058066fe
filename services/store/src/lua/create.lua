-- Creates a task at revision 1, with its first message, its first work, its
-- place in the indexes and, where asked, its first webhook. A provisional one
-- is seen by its agent only, until promote.lua or reply.lua.
--
-- KEYS  1 task  2 history  3 events  4 changes  5 requests  6 due work
--       7 tenants  8 index of the tenant  9 of the state  10 of the context
--       11 configs  12 lane of the config  13 reply in place of the task
-- ARGV  1 change id  2 task id  3 tenant  4 owner  5 context  6 at, ms
--       7 index member  8 state  9 status  10 metadata  11 history entry
--       12 payload  13 request  14 trace  15 most events a log
--       16 config id or ''  17 config  18 provisional: '1' | '0'
-- Reply 'ok' | 'repeated' when this very change was applied before, or was
--       answered with a message | 'exists'
local task, history, events, changes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local e = {
  id = ARGV[1], task = ARGV[2], tenant = ARGV[3], at_ms = ARGV[6], kind = 'TaskCreated', revision = 1,
  payload = ARGV[12], trace = ARGV[14], log_max_events = ARGV[15],
}
local member, config, provisional = ARGV[7], ARGV[16], ARGV[18] == '1'

if redis.call('EXISTS', KEYS[13]) == 1 then return 'repeated' end
if redis.call('EXISTS', task) == 1 then
  return applied(events, 1, e.id) and 'repeated' or 'exists'
end

redis.call('HSET', task, 'revision', 1, 'state', ARGV[8], 'tenant', e.tenant, 'owner', ARGV[4],
  'context', ARGV[5], 'status_at', e.at_ms, 'status_revision', 1, 'status', ARGV[9],
  'metadata', ARGV[10], 'member', member, 'messages', 1, 'cancelable', 1)
redis.call('RPUSH', history, ARGV[11])
redis.call('RPUSH', KEYS[5], ARGV[13])
redis.call('ZADD', KEYS[6], 'NX', now_ms(), e.task)
redis.call('SADD', KEYS[7], e.tenant)
if provisional then
  redis.call('HSET', task, 'provisional', 1)
  e.kind, e.payload = 'TaskProposed', ''
else
  for i = 8, 10 do redis.call('ZADD', KEYS[i], 0, member) end
end
record(events, changes, e)
if config ~= '' then register(KEYS[11], KEYS[12], config, ARGV[17], 0) end
return 'ok'
