-- Prelude of every script that touches lanes. A lane is a consumer's place in a
-- task: a member of a `due` set whose score is when it may run, or, while it is
-- leased, when the lease ends; and a token in `leases` that fences off a holder
-- that was given up. Times are the server's, so holders need not agree on one.

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether `token` is that of the lane's lease.
local function leased(leases, member, token)
  return redis.call('HGET', leases, member) == token
end

-- Moves the end of a lease; a lane that is not in the set stays out.
local function renew(due, member, lease_ms)
  local until_ms = now_ms() + tonumber(lease_ms)
  redis.call('ZADD', due, 'XX', until_ms, member)
  return until_ms
end

-- Ends a lease with nothing left to do, or with more to do from `at_ms` on.
local function rest(due, leases, member, at_ms)
  redis.call('HDEL', leases, member)
  if at_ms then
    redis.call('ZADD', due, at_ms, member)
  else
    redis.call('ZREM', due, member)
  end
end

-- Drops the requests up to revision `sent`, each of which starts with its
-- revision, and ends the lease on the task's work.
local function end_work(due, leases, lane, requests, task, sent)
  while true do
    local request = redis.call('LINDEX', requests, 0)
    if not request or struct.unpack('>I8', request) > sent then break end
    redis.call('LPOP', requests)
  end
  redis.call('DEL', lane)
  rest(due, leases, task, redis.call('LLEN', requests) > 0 and now_ms() or nil)
end

-- Keeps the last attempts of a webhook's lane, newest first, each behind its
-- length. An empty record is none.
local RECENT_MOST = 10
local function remember(lane, record)
  if record == '' then return end
  local held = redis.call('HGET', lane, 'recent') or ''
  local fits, at = 1, 1
  while fits < RECENT_MOST and at <= #held do
    at = at + 4 + struct.unpack('>I4', held, at)
    fits = fits + 1
  end
  redis.call('HSET', lane, 'recent', struct.pack('>I4', #record) .. record .. string.sub(held, 1, at - 1))
end
