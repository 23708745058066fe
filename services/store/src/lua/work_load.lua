-- The next request for the holder of a task's lease, after the one of revision
-- `after`; 0 starts over, as a new holder does. Renews the lease.
--
-- KEYS  1 due work  2 leases  3 lane of the work  4 requests
-- ARGV  1 task id  2 token  3 lease, ms  4 after
-- Reply { 'lost' } | { 'idle' } | { 'request', request, deliveries }
local due, leases, lane, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local task, token, after = ARGV[1], ARGV[2], tonumber(ARGV[4])
if not leased(leases, task, token) then return { 'lost' } end

for _, request in ipairs(redis.call('LRANGE', requests, 0, -1)) do
  local revision = struct.unpack('>I8', request)
  if revision > after then
    local first = after == 0 and 1 or 0
    redis.call('HSET', lane, 'sent', revision)
    renew(due, task, ARGV[3])
    return { 'request', request, redis.call('HINCRBY', lane, 'deliveries', first) }
  end
end
if after == 0 then rest(due, leases, task) end
return { 'idle' }
