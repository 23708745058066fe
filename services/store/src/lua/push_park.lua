-- Gives up the lane's head: it becomes a dead letter, and the lane goes on
-- (KEYS 1-8 and ARGV 1-4: see push.lua). Sent again because the reply was lost,
-- it makes no second dead letter.
--
-- KEYS  9 dead letters
-- ARGV  5 revision  6 kind  7 body  8 id  9 task id  10 reason  11 last status
--       12 attempts  13 most dead letters a shard
-- Reply { 'lost' } when the token is not the lease's, else that of next_delivery
if not leased(leases, member, token) then return { 'lost' } end

local head = redis.call('HMGET', lane, 'cursor', 'snapshot_id')
local is_head = ARGV[6] == 'snapshot' and head[2] == ARGV[8]
  or ARGV[6] == 'event' and not head[2] and tonumber(head[1] or 0) < tonumber(ARGV[5])
if is_head then
  redis.call('XADD', KEYS[9], 'MAXLEN', '~', ARGV[13], '*', 'task', ARGV[9], 'config', config_id,
    'revision', ARGV[5], 'kind', ARGV[6], 'body', ARGV[7], 'id', ARGV[8], 'reason', ARGV[10],
    'status', ARGV[11], 'attempts', ARGV[12])
  advance(ARGV[5])
  redis.call('HSET', lane, 'last_failure', ARGV[10], 'last_status', ARGV[11])
  redis.call('HINCRBY', lane, 'dead_in_a_row', 1)
end
return next_delivery()
