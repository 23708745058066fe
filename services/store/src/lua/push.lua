-- Prelude of the scripts that advance the lane of a webhook.
--
-- KEYS  1 due  2 leases  3 lane  4 configs  5 task  6 history  7 artifacts
--       8 events  9 dead letters
-- ARGV  1 member  2 config id  3 token  4 lease, ms
local due, leases, lane, push, task = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local history, artifacts, events, dead = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local member, config_id, token, lease_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local function fields_of(entry)
  local fields = {}
  for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
  return fields
end

-- The first change after `cursor` that a subscriber sees; whether changes are
-- missing before it; and the last silent change passed over.
local function after(cursor)
  while true do
    local entries = redis.call('XRANGE', events, (cursor + 1) .. '-0', '+', 'COUNT', 16)
    if #entries == 0 then return nil, tonumber(redis.call('HGET', task, 'revision') or 0) > cursor, cursor end
    for _, entry in ipairs(entries) do
      local change = fields_of(entry)
      change.revision = tonumber(string.match(entry[1], '^%d+'))
      if change.revision > cursor + 1 then return nil, true, cursor end
      if change.payload ~= '' then return change, false, cursor end
      cursor = change.revision
    end
  end
end

-- Takes the first dead letter off those to be sent again.
local function pop_replay()
  local rest_of = string.match(redis.call('HGET', lane, 'replay') or '', '^%S+ (.*)$') or ''
  redis.call('HDEL', lane, 'replay', 'replaying')
  if rest_of ~= '' then redis.call('HSET', lane, 'replay', rest_of) end
end

-- The dead letter to send again now. It waits for an event whose attempts have
-- begun; one that was trimmed away meanwhile is passed over.
local function replayed()
  if redis.call('HEXISTS', lane, 'first_at') == 1 and redis.call('HEXISTS', lane, 'replaying') == 0 then
    return nil
  end
  while true do
    local id = string.match(redis.call('HGET', lane, 'replay') or '', '^%S+')
    if not id then return nil end
    local entry = redis.call('XRANGE', dead, id, id)[1]
    if entry then
      redis.call('HSET', lane, 'replaying', id)
      local letter = fields_of(entry)
      return letter.kind, { payload = letter.body, id = letter.id, revision = letter.revision }
    end
    pop_replay()
  end
end

-- The first event behind the cursor. A lane whose cursor is older than the log
-- starts over with the task as it stands.
local function unsent()
  if redis.call('HEXISTS', lane, 'snapshot') == 0 then
    local change, missing, cursor = after(tonumber(redis.call('HGET', lane, 'cursor') or 0))
    redis.call('HSET', lane, 'cursor', cursor)
    if change then return 'event', change end
    if not missing then return nil end
    local revision = redis.call('HGET', task, 'revision')
    -- One token may see several gaps; receivers drop what has an id that they know.
    redis.call('HSET', lane, 'snapshot', snapshot(task, history, artifacts), 'snapshot_id',
      token .. '-' .. revision, 'cursor', revision)
  end
  local kept = redis.call('HMGET', lane, 'snapshot', 'snapshot_id', 'cursor')
  return 'snapshot', { payload = kept[1], id = kept[2], revision = kept[3] }
end

-- What the lane sends next, under a renewed lease; without anything to send the
-- lease ends.
-- Reply { 'idle' } | { 'deleted' } | { 'disabled' } |
--       { 'event' | 'snapshot', revision, body, id, config, trace, attempts,
--         ms since the first attempt, starts, when the change was made or '' }
local function next_delivery()
  local config = redis.call('HGET', push, config_id)
  if not config then
    redis.call('DEL', lane)
    rest(due, leases, member)
    return { 'deleted' }
  end
  if redis.call('HEXISTS', lane, 'disabled') == 1 then
    rest(due, leases, member)
    return { 'disabled' }
  end
  local kind, head = replayed()
  if not kind then kind, head = unsent() end
  if not kind then
    rest(due, leases, member)
    return { 'idle' }
  end
  local now = now_ms()
  local state = redis.call('HMGET', lane, 'attempts', 'first_at', 'starter')
  redis.call('HSET', lane, 'head', head.id, 'first_at', state[2] or now, 'starter', token)
  -- A call sent again because its reply was lost begins no further attempt.
  local starts = redis.call('HINCRBY', lane, 'starts', state[3] == token and 0 or 1)
  renew(due, member, lease_ms)
  return {
    kind, tonumber(head.revision), head.payload, head.id, config, head.trace or '',
    tonumber(state[1] or 0), now - tonumber(state[2] or now), starts, head.at or '',
  }
end

-- Whether `id` is still the head: a caller whose reply was lost tells of it again.
local function is_head(id)
  return redis.call('HGET', lane, 'head') == id
end

-- The head, at `revision`, is dealt with.
local function advance(revision)
  local letter = redis.call('HGET', lane, 'replaying')
  if letter then
    redis.call('XDEL', dead, letter)
    pop_replay()
  else
    redis.call('HSET', lane, 'cursor', revision)
    redis.call('HDEL', lane, 'snapshot', 'snapshot_id')
  end
  redis.call('HDEL', lane, 'head', 'attempts', 'first_at', 'starts', 'starter')
end
