-- Leases lanes that are due. The score of a leased lane is the end of its
-- lease, so the lane of a dead holder becomes due by itself.
--
-- KEYS  1 due  2 leases
-- ARGV  1 most lanes  2 lease, ms  3 token
-- Reply ms until the next lane is due, or -1; then the members leased
local now = now_ms()
local members = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(members) do
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), member)
  redis.call('HSET', KEYS[2], member, ARGV[3])
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
table.insert(members, 1, first[2] and math.max(0, tonumber(first[2]) - now) or -1)
return members
