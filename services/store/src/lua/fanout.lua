-- Makes the lanes of the tasks named by change-stream entries due, and
-- acknowledges the entries: a crash leaves both or neither.
--
-- KEYS  1 changes  2 due  3.. configs of each entry's task
-- ARGV  1 group  2 entry id  3 task id  4 entry id  5 task id ..
-- Reply lanes made due that were not in the set
local changes, due, group = KEYS[1], KEYS[2], ARGV[1]
local now, woken = now_ms(), 0
for i = 3, #KEYS do
  local entry, task = ARGV[2 * i - 4], ARGV[2 * i - 3]
  for _, config in ipairs(redis.call('HKEYS', KEYS[i])) do
    -- NX: neither a lease nor the wait for a retry is cut short.
    woken = woken + redis.call('ZADD', due, 'NX', now, task .. '/' .. config)
  end
  redis.call('XACK', changes, group, entry)
end
return woken
