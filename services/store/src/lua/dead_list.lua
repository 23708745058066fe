-- Dead letters without their bodies, oldest first.
--
-- KEYS  1 dead letters
-- ARGV  1 first id  2 last id  3 most letters
-- Reply for each { dead letter's id, task, config, revision, reason, status,
--       attempts, event id }
local letters = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])) do
  local fields = {}
  for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
  letters[#letters + 1] = {
    entry[1], fields.task, fields.config, fields.revision, fields.reason, fields.status, fields.attempts,
    fields.id,
  }
end
return letters
