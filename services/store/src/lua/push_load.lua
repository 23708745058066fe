-- What a leased lane has to send (KEYS and ARGV: see push.lua).
--
-- Reply { 'lost' } when the token is not the lease's, else that of next_delivery
if not leased(leases, member, token) then return { 'lost' } end
return next_delivery()
