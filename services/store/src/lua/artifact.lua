-- Puts an artifact or adds a chunk to one. Each chunk is a field of its own, so
-- the ten-thousandth costs what the first did.
--
-- KEYS  1 task  2 artifacts  3 events  4 changes  5 due work  6 leases
-- ARGV  1 change id  2 task id  3 tenant  4 expected revision  5 at, ms
--       6 artifact id  7 'put' | 'append'  8 closed: '1' | '0'  9 chunk
--       10 payload  11 trace  12 most events a log  13 lease token or ''
--       14 lease, ms
-- Reply 'ok', also when this very change was applied before | 'conflict' |
--       'gone' | 'fenced' (the token is not the lease's)
local task, artifacts, events, changes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local due, leases, token = KEYS[5], KEYS[6], ARGV[13]
local expected, name = tonumber(ARGV[4]), ARGV[6]
local e = {
  id = ARGV[1], task = ARGV[2], tenant = ARGV[3], at_ms = ARGV[5], kind = 'TaskArtifactUpdated',
  revision = expected + 1, payload = ARGV[10], trace = ARGV[11], log_max_events = ARGV[12],
}

local revision = redis.call('HGET', task, 'revision')
if not revision then return 'gone' end
if tonumber(revision) ~= expected then
  return applied(events, e.revision, e.id) and 'ok' or 'conflict'
end
if not holds(leases, e.task, token) then return 'fenced' end

local index = redis.call('HGET', artifacts, 'index:' .. name)
local chunks = tonumber(redis.call('HGET', artifacts, 'chunks:' .. name) or 0)
if not index then
  index = redis.call('HINCRBY', artifacts, 'count', 1)
  redis.call('HSET', artifacts, 'index:' .. name, index)
elseif ARGV[7] == 'put' then
  for i = 1, chunks do redis.call('HDEL', artifacts, index .. ':' .. i) end
  chunks = 0
end
redis.call('HSET', artifacts, index .. ':' .. (chunks + 1), ARGV[9],
  'chunks:' .. name, chunks + 1, 'closed:' .. name, ARGV[8])
redis.call('HSET', task, 'revision', e.revision)
record(events, changes, e)
if token ~= '' then renew(due, e.task, ARGV[14]) end
return 'ok'
