-- Renews the lease of a task's work.
--
-- KEYS  1 due work  2 leases
-- ARGV  1 task id  2 token  3 lease, ms
-- Reply the end of the lease, ms since the epoch | 0 when the token is not the
--       lease's
if not leased(KEYS[2], ARGV[1], ARGV[2]) then return 0 end
return renew(KEYS[1], ARGV[1], ARGV[3])
