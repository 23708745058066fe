-- Registers a webhook of an existing task. A new one starts with the task as it
-- stands at this instant; one of the same id is replaced and keeps its place.
--
-- KEYS  1 task  2 history  3 artifacts  4 configs  5 lane of the config
--       6 changes
-- ARGV  1 task id  2 tenant  3 config id  4 config  5 most configs a task
--       6 trace  7 id of the snapshot
-- Reply 'ok' | 'gone' | 'full'
local task, history, artifacts, push, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local config = ARGV[3]
local revision = redis.call('HGET', task, 'revision')
if not revision then return 'gone' end
if not has_room(push, config, tonumber(ARGV[5])) then return 'full' end

local first = redis.call('EXISTS', lane) == 0 and snapshot(task, history, artifacts) or nil
register(push, lane, config, ARGV[4], revision, first, ARGV[7])
announce(KEYS[6], {
  kind = 'PushNotificationConfigCreated', task = ARGV[1], tenant = ARGV[2], revision = revision,
  payload = '', trace = ARGV[6],
})
return 'ok'
