-- Holds a webhook at an operator's wish, or lets it go on. An attempt under way
-- ends in its own way. A webhook that goes on has all its attempts again.
--
-- KEYS  1 configs  2 lane  3 due
-- ARGV  1 config id  2 lane member  3 reason to hold it, or '' to let it go on
-- Reply 'ok' | 'gone' when there is no such webhook
local lane = KEYS[2]
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 'gone' end
if ARGV[3] ~= '' then
  redis.call('HSET', lane, 'disabled', ARGV[3])
  return 'ok'
end
if redis.call('HDEL', lane, 'disabled') == 1 then
  redis.call('HDEL', lane, 'attempts', 'first_at', 'starts', 'dead_in_a_row', 'exhausted')
end
redis.call('ZADD', KEYS[3], 'NX', now_ms(), ARGV[2])
return 'ok'
