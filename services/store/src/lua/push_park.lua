-- Gives up the lane's head: it becomes a dead letter, and the lane goes on
-- (KEYS and ARGV 1-4: see push.lua). Sent again because the reply was lost, it
-- makes no second dead letter.
--
-- ARGV  5 revision  6 kind  7 body  8 id  9 task id  10 reason  11 last status
--       12 attempts  13 most dead letters a shard
--       14 record of the attempt, or ''
--       15 events exhausted in a row that hold the webhook; 0 when this one is
--       not exhausted, or none do
-- Reply { 'lost' } when the token is not the lease's, else that of next_delivery
if not leased(leases, member, token) then return { 'lost' } end
if is_head(ARGV[8]) then
  redis.call('XADD', dead, 'MAXLEN', '~', ARGV[13], '*', 'task', ARGV[9], 'config', config_id,
    'revision', ARGV[5], 'kind', ARGV[6], 'body', ARGV[7], 'id', ARGV[8], 'reason', ARGV[10],
    'status', ARGV[11], 'attempts', ARGV[12])
  advance(ARGV[5])
  remember(lane, ARGV[14])
  redis.call('HSET', lane, 'last_failure', ARGV[10], 'last_status', ARGV[11])
  redis.call('HINCRBY', lane, 'dead_in_a_row', 1)
  local hold_after = tonumber(ARGV[15])
  if hold_after > 0 and redis.call('HINCRBY', lane, 'exhausted', 1) >= hold_after then
    redis.call('HSET', lane, 'disabled', 'exhausted')
  end
end
return next_delivery()
