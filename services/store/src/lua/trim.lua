-- Trims a shard's change stream below what every consumer group has dealt with,
-- keeping what is younger than the readers that tail it may lag behind.
--
-- KEYS  1 changes
-- ARGV  1 keep, ms
-- Reply entries dropped
local changes = KEYS[1]
if redis.call('EXISTS', changes) == 0 then return 0 end

-- Ids compare as ms, then sequence; both fit a Lua number.
local function older(a, b)
  local a_ms, a_seq = string.match(a, '(%d+)-(%d+)')
  local b_ms, b_seq = string.match(b, '(%d+)-(%d+)')
  if a_ms ~= b_ms then return tonumber(a_ms) < tonumber(b_ms) end
  return tonumber(a_seq) < tonumber(b_seq)
end

local floor = string.format('%.0f-0', now_ms() - tonumber(ARGV[1]))
for _, group in ipairs(redis.call('XINFO', 'GROUPS', changes)) do
  local fields = {}
  for i = 1, #group, 2 do fields[group[i]] = group[i + 1] end
  local reached = fields['last-delivered-id']
  if fields['pending'] > 0 then
    reached = redis.call('XPENDING', changes, fields['name'])[2]
  end
  if older(reached, floor) then floor = reached end
end
return redis.call('XTRIM', changes, 'MINID', '~', floor)
