-- Looks at the lease of a task's work without renewing it.
--
-- KEYS  1 due work  2 leases  3 lane of the work
-- ARGV  1 task id  2 token
-- Reply { ms until the lease ends | -1 when the token is not the lease's or it
--       has ended, revision of the last request handed out }
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or not leased(KEYS[2], ARGV[1], ARGV[2]) then return { -1, 0 } end
local remaining = tonumber(ends) - now_ms()
return { remaining > 0 and remaining or -1, tonumber(redis.call('HGET', KEYS[3], 'sent') or 0) }
