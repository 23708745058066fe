-- Makes the lanes of the tasks named by change-stream entries due, leases those
-- that were idle to the caller, and acknowledges the entries: a crash leaves all
-- of it or none.
--
-- KEYS  1 changes  2 due  3 leases  4.. configs of each entry's task
-- ARGV  1 group  2 most lanes to lease  3 lease, ms  4 token
--       5 entry id  6 task id  7 entry id  8 task id ..
-- Reply lanes made due that were not in the set; then the members leased. Asked
-- again because the reply was lost, it names those that it leased before.
local changes, due, leases, group, token = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[4]
local most, now, woken = tonumber(ARGV[2]), now_ms(), 0
local members = {}
for i = 4, #KEYS do
  local entry, task = ARGV[2 * i - 3], ARGV[2 * i - 2]
  for _, config in ipairs(redis.call('HKEYS', KEYS[i])) do
    local member = task .. '/' .. config
    -- NX: neither a lease nor the wait for a retry is cut short.
    local idle = redis.call('ZADD', due, 'NX', now, member) == 1
    if idle then woken = woken + 1 end
    if idle and #members < most then
      redis.call('HSET', leases, member, token)
      renew(due, member, ARGV[3])
      members[#members + 1] = member
    elseif most > 0 and leased(leases, member, token) then
      members[#members + 1] = member
    end
  end
  redis.call('XACK', changes, group, entry)
end
local unique, seen = { woken }, {}
for _, member in ipairs(members) do
  if not seen[member] then unique[#unique + 1] = member end
  seen[member] = true
end
return unique
