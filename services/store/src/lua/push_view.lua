-- Where the delivery to a webhook stands.
--
-- KEYS  1 task  2 configs  3 lane  4 due  5 leases  6 events
-- ARGV  1 config id  2 lane member
-- Reply {} when there is no such webhook, else { config, cursor, pending, attempts,
--       due at or '', last success at or '', last failure, last status, disabled,
--       oldest pending at or '', dead letters in a row, records of attempts },
--       times in ms
local config = redis.call('HGET', KEYS[2], ARGV[1])
if not config then return {} end
local lane = redis.call('HMGET', KEYS[3], 'cursor', 'attempts', 'last_success_at', 'last_failure',
  'last_status', 'disabled', 'dead_in_a_row', 'snapshot_id', 'recent')
local cursor = tonumber(lane[1] or 0)
local pending = tonumber(redis.call('HGET', KEYS[1], 'revision') or cursor) - cursor
if lane[8] then pending = pending + 1 end

-- While a lane is leased, its score is the end of the lease.
local due_at = redis.call('HEXISTS', KEYS[5], ARGV[2]) == 0 and redis.call('ZSCORE', KEYS[4], ARGV[2])

local oldest = ''
local entry = redis.call('XRANGE', KEYS[6], (cursor + 1) .. '-0', '+', 'COUNT', 1)[1]
for i = 1, entry and #entry[2] or 0, 2 do
  if entry[2][i] == 'at' then oldest = entry[2][i + 1] end
end
return {
  config, tostring(cursor), tostring(pending), lane[2] or '0', due_at or '', lane[3] or '', lane[4] or '',
  lane[5] or '0', lane[6] or '', oldest, lane[7] or '0',
  lane[9] or '',
}
