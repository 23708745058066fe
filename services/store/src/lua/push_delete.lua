-- Removes a webhook, with all that was still to be sent to it. A dispatcher
-- that holds its lane is fenced off: its lease is gone.
--
-- KEYS  1 task  2 configs  3 lane of the config  4 due deliveries  5 leases
--       6 changes
-- ARGV  1 task id  2 tenant  3 config id  4 lane member  5 trace
-- Reply 'ok', also when there was none | 'gone'
local revision = redis.call('HGET', KEYS[1], 'revision')
if not revision then return 'gone' end
local removed = redis.call('HDEL', KEYS[2], ARGV[3])
redis.call('DEL', KEYS[3])
rest(KEYS[4], KEYS[5], ARGV[4])
if removed == 1 then
  announce(KEYS[6], {
    kind = 'PushNotificationConfigDeleted', task = ARGV[1], tenant = ARGV[2], revision = revision,
    payload = '', trace = ARGV[5],
  })
end
return 'ok'
