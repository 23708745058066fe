-- Holds a webhook: nothing is sent to it, and nothing is dropped, until it is
-- enabled again.
--
-- KEYS  1 due  2 leases  3 lane
-- ARGV  1 member  2 token  3 reason  4 status  5 record of the attempt, or ''
-- Reply 'ok' | 'lost' when the token is not the lease's
local due, leases, lane, member = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
if not leased(leases, member, ARGV[2]) then return 'lost' end
redis.call('HSET', lane, 'disabled', ARGV[3], 'last_failure', ARGV[3], 'last_status', ARGV[4])
remember(lane, ARGV[5])
redis.call('HDEL', lane, 'starts')
rest(due, leases, member)
return 'ok'
