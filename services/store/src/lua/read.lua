-- Reads a task as it stands at one revision.
--
-- KEYS  1 task  2 history  3 artifacts
-- ARGV  1 history: '1' | '0'  2 artifacts: '1' | '0'
-- Reply the fields, the history and the artifacts; the fields are empty when
--       there is no such task
local fields = redis.call('HGETALL', KEYS[1])
local history = ARGV[1] == '1' and redis.call('LRANGE', KEYS[2], 0, -1) or {}
local artifacts = ARGV[2] == '1' and redis.call('HGETALL', KEYS[3]) or {}
return { fields, history, artifacts }
