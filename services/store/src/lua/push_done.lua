-- The webhook acknowledged the lane's head; on to the next (KEYS and ARGV 1-4:
-- see push.lua).
--
-- ARGV  5 revision acknowledged
-- Reply { 'lost' } when the token is not the lease's, else that of next_delivery
if not leased(leases, member, token) then return { 'lost' } end
advance(ARGV[5])
redis.call('HSET', lane, 'last_success_at', now_ms())
redis.call('HDEL', lane, 'last_failure', 'last_status', 'dead_in_a_row')
return next_delivery()
