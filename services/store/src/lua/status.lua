-- Sets the status of a task; what it said before goes to the history. A status
-- that ends the turn ends the lease; any other extends it.
--
-- KEYS  1 task  2 history  3 events  4 changes  5 requests  6 due work
--       7 leases  8 lane of the work  9 index of the tenant  10 of the context
--       11 of the state before  12 of the state after  13 expiry
-- ARGV  1 change id  2 task id  3 tenant  4 expected revision  5 at, ms
--       6 index member  7 state  8 status  9 history entry or ''  10 payload
--       11 trace  12 most events a log  13 cancelable  14 lease token or ''
--       15 lease, ms  16 'live' | 'interrupted' | 'terminal'
-- Reply 'ok', also when this very change was applied before | 'conflict' |
--       'gone' | 'fenced' (the token is not the lease's)
local task, history, events, changes, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local due, leases, lane = KEYS[6], KEYS[7], KEYS[8]
local expected, state, superseded = tonumber(ARGV[4]), ARGV[7], ARGV[9]
local member, token, phase = ARGV[6], ARGV[14], ARGV[16]
local e = {
  id = ARGV[1], task = ARGV[2], tenant = ARGV[3], at_ms = ARGV[5], kind = 'TaskStatusUpdated',
  revision = expected + 1, payload = ARGV[10], trace = ARGV[11], log_max_events = ARGV[12],
}

local held = redis.call('HMGET', task, 'revision', 'member')
if not held[1] then return 'gone' end
if tonumber(held[1]) ~= expected then
  return applied(events, e.revision, e.id) and 'ok' or 'conflict'
end
if not holds(leases, e.task, token) then return 'fenced' end

-- The last request that the holder knows. Without a lease it is taken to know
-- them all.
local function known()
  if not redis.call('HGET', leases, e.task) then return expected end
  return tonumber(redis.call('HGET', lane, 'sent') or 0)
end

redis.call('HSET', task, 'revision', e.revision, 'state', state, 'status_at', e.at_ms,
  'status_revision', e.revision, 'status', ARGV[8], 'member', member, 'cancelable', ARGV[13])
if superseded ~= '' then
  redis.call('RPUSH', history, superseded)
  redis.call('HINCRBY', task, 'messages', 1)
end
for i = 9, 11 do redis.call('ZREM', KEYS[i], held[2]) end
for _, i in ipairs({ 9, 10, 12 }) do redis.call('ZADD', KEYS[i], 0, member) end
record(events, changes, e)

if phase == 'terminal' then
  end_work(due, leases, lane, requests, e.task, math.huge)
  redis.call('ZADD', KEYS[13], e.at_ms, e.task)
elseif phase == 'interrupted' then
  end_work(due, leases, lane, requests, e.task, known())
elseif token ~= '' then
  renew(due, e.task, ARGV[15])
end
return 'ok'
