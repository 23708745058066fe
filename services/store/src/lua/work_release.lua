-- Gives back the lease of a task's work. Unfinished requests, and those that
-- the holder has not received, are due at once.
--
-- KEYS  1 due work  2 leases  3 lane of the work  4 requests
-- ARGV  1 task id  2 token  3 finished: '1' | '0'
-- Reply 'ok' | 'fenced'
local due, leases, lane, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local task = ARGV[1]
if not leased(leases, task, ARGV[2]) then return 'fenced' end
if ARGV[3] == '1' then
  end_work(due, leases, lane, requests, task, tonumber(redis.call('HGET', lane, 'sent') or 0))
else
  rest(due, leases, task, redis.call('LLEN', requests) > 0 and now_ms() or nil)
end
return 'ok'
