-- Prelude of the scripts that keep a task as it stands at one instant.

-- Length-prefixed strings, one after another.
local function frame(strings)
  local framed = {}
  for i, s in ipairs(strings) do framed[i] = struct.pack('>I4', #s) .. s end
  return table.concat(framed)
end

-- The task as three framed lists: its fields, history and artifacts.
local function snapshot(task, history, artifacts)
  return frame({
    frame(redis.call('HGETALL', task)),
    frame(redis.call('LRANGE', history, 0, -1)),
    frame(redis.call('HGETALL', artifacts)),
  })
end
