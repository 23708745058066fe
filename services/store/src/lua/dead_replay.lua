-- Has a dead letter sent again, ahead of events whose attempts have not begun.
-- It stays a dead letter until it is dealt with.
--
-- KEYS  1 dead letters  2 configs  3 lane  4 due
-- ARGV  1 dead letter's id  2 config id  3 lane member
-- Reply 'ok', also when it waits already | 'gone' when there is no such letter |
--       'deleted' when its webhook is gone
local id, lane = ARGV[1], KEYS[3]
if #redis.call('XRANGE', KEYS[1], id, id) == 0 then return 'gone' end
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then return 'deleted' end
local queue = redis.call('HGET', lane, 'replay') or ''
if not string.find(' ' .. queue, ' ' .. id .. ' ', 1, true) then
  redis.call('HSET', lane, 'replay', queue .. id .. ' ')
end
redis.call('ZADD', KEYS[4], 'NX', now_ms(), ARGV[3])
return 'ok'
