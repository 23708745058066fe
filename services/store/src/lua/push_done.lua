-- The webhook acknowledged the lane's head; on to the next (KEYS and ARGV 1-4:
-- see push.lua). Sent again because the reply was lost, it passes no other event.
--
-- ARGV  5 revision acknowledged  6 id  7 record of the attempt
-- Reply { 'lost' } when the token is not the lease's, else that of next_delivery
if not leased(leases, member, token) then return { 'lost' } end
if is_head(ARGV[6]) then
  advance(ARGV[5])
  remember(lane, ARGV[7])
  redis.call('HSET', lane, 'last_success_at', now_ms())
  redis.call('HDEL', lane, 'last_failure', 'last_status', 'dead_in_a_row', 'exhausted')
end
return next_delivery()
