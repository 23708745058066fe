-- One shard's part of a page of tasks, newest status first.
--
-- KEYS  1 index
-- ARGV  1 upper bound, exclusive, or '+'  2 lower bound, inclusive, or '-'
--       3 most members  4 state that members must end with, or ''
-- Reply how many members match, whatever the upper bound; then the members
local index, upper, lower, most, state = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
if state == '' then
  local page = redis.call('ZREVRANGEBYLEX', index, upper, lower, 'LIMIT', 0, most)
  table.insert(page, 1, redis.call('ZLEXCOUNT', index, lower, '+'))
  return page
end

-- The index of a context holds tasks of every state; contexts are small.
local matching, page = 0, {}
local below = upper ~= '+' and string.sub(upper, 2)
for _, member in ipairs(redis.call('ZREVRANGEBYLEX', index, '+', lower)) do
  if string.sub(member, -1) == state then
    matching = matching + 1
    if #page < most and (not below or member < below) then page[#page + 1] = member end
  end
end
table.insert(page, 1, matching)
return page
