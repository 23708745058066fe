-- Forgets consumers that have long been silent and hold nothing: each replica's
-- name is new, so those of the past would add up.
--
-- KEYS  1 changes
-- ARGV  1 group  2 silent for, ms
-- Reply consumers forgotten
local forgotten = 0
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local fields = {}
  for i = 1, #consumer, 2 do fields[consumer[i]] = consumer[i + 1] end
  if fields.pending == 0 and fields.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], fields.name)
    forgotten = forgotten + 1
  end
end
return forgotten
