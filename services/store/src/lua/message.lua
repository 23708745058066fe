-- Adds a client's message to a task: to its history, and to the work of its
-- agent. The change is silent to subscribers. A webhook may come with it.
--
-- KEYS  1 task  2 history  3 events  4 changes  5 requests  6 due work
--       7 artifacts  8 configs  9 lane of the config  10 changes taken
-- ARGV  1 change id  2 task id  3 tenant  4 expected revision  5 at, ms
--       6 history entry  7 request  8 trace  9 most events a log
--       10 config id or ''  11 config  12 most configs a task
--       13 remember the change, ms; 0 relies on the log alone
-- Reply { 'ok', revision }, also when this very change was applied before |
--       { 'conflict' } | { 'gone' } | { 'full' } (no room for the config)
local task, history, events, changes, due = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6]
local push, expected, config = KEYS[8], tonumber(ARGV[4]), ARGV[10]
local e = {
  id = ARGV[1], task = ARGV[2], tenant = ARGV[3], at_ms = ARGV[5], kind = 'TaskMessageReceived',
  revision = expected + 1, payload = '', trace = ARGV[8], log_max_events = ARGV[9],
}

local remember_ms = tonumber(ARGV[13])

local revision = redis.call('HGET', task, 'revision')
if not revision then return { 'gone' } end
local taken_at = remember_ms > 0 and redis.call('HGET', KEYS[10], e.id)
if taken_at then return { 'ok', tonumber(taken_at) } end
if tonumber(revision) ~= expected then
  return applied(events, e.revision, e.id) and { 'ok', e.revision } or { 'conflict' }
end
if config ~= '' and not has_room(push, config, tonumber(ARGV[12])) then return { 'full' } end

if remember_ms > 0 then
  redis.call('HSET', KEYS[10], e.id, e.revision)
  redis.call('PEXPIRE', KEYS[10], remember_ms)
end
redis.call('HSET', task, 'revision', e.revision)
redis.call('HINCRBY', task, 'messages', 1)
redis.call('RPUSH', history, ARGV[6])
redis.call('RPUSH', KEYS[5], ARGV[7])
-- A leased task is in the set with its expiry: its holder hears of the message
-- by the change stream, and NX leaves the lease alone.
redis.call('ZADD', due, 'NX', now_ms(), e.task)
record(events, changes, e)
if config ~= '' then
  register(push, KEYS[9], config, ARGV[11], e.revision, snapshot(task, history, KEYS[7]), e.id)
end
return { 'ok', e.revision }
