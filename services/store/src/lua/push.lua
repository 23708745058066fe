-- Prelude of the scripts that advance the lane of a webhook.
--
-- KEYS  1 due  2 leases  3 lane  4 configs  5 task  6 history  7 artifacts
--       8 events
-- ARGV  1 member  2 config id  3 token  4 lease, ms
local due, leases, lane, push, task = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local history, artifacts, events = KEYS[6], KEYS[7], KEYS[8]
local member, config_id, token, lease_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local function fields_of(entry)
  local fields = {}
  for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
  fields.revision = tonumber(string.match(entry[1], '^%d+'))
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
      if change.revision > cursor + 1 then return nil, true, cursor end
      if change.payload ~= '' then return change, false, cursor end
      cursor = change.revision
    end
  end
end

-- What the lane sends next, under a renewed lease; without anything to send the
-- lease ends. A lane whose cursor is older than the log starts over with the
-- task as it stands.
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
  local cursor = tonumber(redis.call('HGET', lane, 'cursor') or 0)
  local kind, change = 'event', nil
  if redis.call('HEXISTS', lane, 'snapshot') == 0 then
    local missing
    change, missing, cursor = after(cursor)
    redis.call('HSET', lane, 'cursor', cursor)
    if missing then
      local revision = redis.call('HGET', task, 'revision')
      -- One token may see several gaps; receivers drop what has an id that they know.
      redis.call('HSET', lane, 'snapshot', snapshot(task, history, artifacts), 'snapshot_id',
        token .. '-' .. revision, 'cursor', revision)
    elseif not change then
      rest(due, leases, member)
      return { 'idle' }
    end
  end
  if not change then
    local kept = redis.call('HMGET', lane, 'snapshot', 'snapshot_id', 'cursor')
    kind, change = 'snapshot', { payload = kept[1], id = kept[2], revision = tonumber(kept[3]), trace = '' }
  end
  local now = now_ms()
  local state = redis.call('HMGET', lane, 'attempts', 'first_at')
  if not state[2] then redis.call('HSET', lane, 'first_at', now) end
  local starts = redis.call('HINCRBY', lane, 'starts', 1)
  renew(due, member, lease_ms)
  return {
    kind, change.revision, change.payload, change.id, config, change.trace or '',
    tonumber(state[1] or 0), now - tonumber(state[2] or now), starts, change.at or '',
  }
end

-- The lane's head is dealt with: the cursor passes `revision`.
local function advance(revision)
  redis.call('HSET', lane, 'cursor', revision)
  redis.call('HDEL', lane, 'snapshot', 'snapshot_id', 'attempts', 'first_at', 'starts')
end
