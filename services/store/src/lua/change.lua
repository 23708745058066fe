-- Prelude of every script that changes a task: state and event are one step.
--
-- A task's log (`events`) holds one entry a revision, with the revision as its
-- id, so a change cannot be recorded twice and a gap shows. The shard's change
-- stream (`changes`) gets an entry for each, for the dispatcher, for live
-- readers, and for anyone else's consumer group; its format is version 1.

-- Whether the change `id` is the one that made `revision`: a caller whose reply
-- was lost sends the same change again, and must hear that it was applied.
local function applied(events, revision, id)
  local entry = redis.call('XRANGE', events, revision .. '-0', revision .. '-0')[1]
  if not entry then return false end
  for i = 1, #entry[2], 2 do
    if entry[2][i] == 'id' then return entry[2][i + 1] == id end
  end
  return false
end

-- Announces something about a task that is not a change of the task itself.
local function announce(changes, e)
  redis.call('XADD', changes, '*', 'v', '1', 'kind', e.kind, 'task', e.task, 'tenant', e.tenant,
    'revision', e.revision, 'payload', e.payload, 'trace', e.trace)
end

-- Appends a change to the task's log and announces it. `payload` is what a
-- subscriber sees; a change without one is silent.
local function record(events, changes, e)
  redis.call('XADD', events, 'MAXLEN', '~', e.log_max_events, e.revision .. '-0',
    'kind', e.kind, 'payload', e.payload, 'trace', e.trace, 'id', e.id, 'at', e.at_ms)
  announce(changes, e)
end

-- Whether `token` may act on the task. An empty one is nobody's lease: the
-- agent door let the caller in without.
local function holds(leases, task, token)
  return token == '' or leased(leases, task, token)
end

-- Whether the task may hold the config: the same id replaces.
local function has_room(push, config, max_configs)
  return redis.call('HEXISTS', push, config) == 1 or redis.call('HLEN', push) < max_configs
end

-- Stores a config. A new one gets a lane: everything after `cursor` is still to
-- be sent, behind `first` (a snapshot, known as `id`) where there is one.
local function register(push, lane, config, value, cursor, first, id)
  redis.call('HSET', push, config, value)
  if redis.call('EXISTS', lane) == 1 then return end
  redis.call('HSET', lane, 'cursor', cursor)
  if first then redis.call('HSET', lane, 'snapshot', first, 'snapshot_id', id) end
end
