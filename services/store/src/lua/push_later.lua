-- Puts a leased lane back for later.
--
-- KEYS  1 due  2 leases  3 lane
-- ARGV  1 member  2 token  3 delay, ms  4 record of the attempt, or '' when it
--       does not count  5 failure  6 status
-- Reply 'ok' | 'lost' when the token is not the lease's
local due, leases, lane, member = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
if not leased(leases, member, ARGV[2]) then return 'lost' end
redis.call('HDEL', lane, 'starts', 'starter')
if ARGV[4] ~= '' then
  remember(lane, ARGV[4])
  redis.call('HINCRBY', lane, 'attempts', 1)
  redis.call('HSET', lane, 'last_failure', ARGV[5], 'last_status', ARGV[6])
end
rest(due, leases, member, now_ms() + tonumber(ARGV[3]))
return 'ok'
