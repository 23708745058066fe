//! The attempts that were open when a dispatcher was killed or stopped: each may
//! be made again, and cause one duplicate.

use std::{collections::HashMap, time::Duration};

use a2a_tests::{ledger::Lane, receiver::Recorded, redis::RedisServer, until};
use redis::{RedisResult, Script};

use crate::calls::PATIENCE;

/// For each lane with an attempt that has begun and not ended: its member and
/// token, and the revision of the event under way. One script, so one instant.
const OPEN: &str = "
local open = {}
local function revision(stem, task, lane, head)
  for _, entry in ipairs(redis.call('XRANGE', stem .. 'events:' .. task, '-', '+')) do
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 'id' and entry[2][i + 1] == head then return string.match(entry[1], '^%d+') end
    end
  end
  return redis.call('HGET', lane, 'cursor')
end
for shard = 0, 15 do
  local stem = string.format('a2a:{%02d}:', shard)
  local leases = redis.call('HGETALL', stem .. 'leases:push')
  for i = 1, #leases, 2 do
    local task, config = string.match(leases[i], '^(.-)/(.*)$')
    local lane = stem .. 'lane:' .. task .. '/push/' .. config
    local state = redis.call('HMGET', lane, 'head', 'starts')
    if state[1] and state[2] then
      table.insert(open, { task, config, leases[i + 1], revision(stem, task, lane, state[1]) })
    end
  end
end
return open";

/// An attempt that had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) task: String,
    pub(crate) config: String,
    pub(crate) token: String,
    pub(crate) revision: i64,
}

/// What one death or stop interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Interruption {
    /// By the receiver's clock, or a little before.
    pub(crate) at: Duration,
    pub(crate) open: Vec<Attempt>,
}

impl Interruption {
    pub(crate) async fn now(redis: &RedisServer, at: Duration) -> Self {
        Self { at, open: open(redis).await }
    }

    /// How long it took until each lane was heard of again, at worst. A lane that
    /// was never heard of again had nothing more to send: else the books show it.
    pub(crate) fn longest_silence(&self, recorded: &[Recorded]) -> Duration {
        let next = |attempt: &Attempt| {
            let lane = attempt.lane();
            recorded.iter().find(|request| request.at > self.at && Lane::of(request) == lane)
        };
        let silences = self.open.iter().filter_map(next).map(|request| request.at - self.at);
        silences.max().unwrap_or_default()
    }
}

impl Attempt {
    pub(crate) fn lane(&self) -> Lane {
        Lane::new(&self.task, &self.config)
    }
}

/// The attempts under way at this instant. What a process wrote before it was
/// killed or stopped has been carried out: its bytes came before ours.
pub(crate) async fn open(redis: &RedisServer) -> Vec<Attempt> {
    until("redis tells of the open attempts", PATIENCE, || async { asked(redis).await.ok() }).await
}

async fn asked(redis: &RedisServer) -> RedisResult<Vec<Attempt>> {
    let mut connection = redis.client().await;
    redis::cmd("PING").exec_async(&mut connection).await?;
    let open: Vec<(String, String, String, i64)> = Script::new(OPEN).invoke_async(&mut connection).await?;
    let attempt = |(task, config, token, revision)| Attempt { task, config, token, revision };
    Ok(open.into_iter().map(attempt).collect())
}

/// Counts the events that were accepted again, and holds each against the
/// attempts that were interrupted: at most one for each.
///
/// # Panics
/// When an event came again although no attempt of it was interrupted.
pub(crate) fn check_duplicates(recorded: &[Recorded], interruptions: &[Interruption]) -> usize {
    let mut allowed: HashMap<(String, i64), usize> = HashMap::new();
    for attempt in interruptions.iter().flat_map(|interruption| &interruption.open) {
        *allowed.entry((attempt.lane().to_string(), attempt.revision)).or_default() += 1;
    }
    let mut accepted: HashMap<(String, i64), usize> = HashMap::new();
    for request in recorded.iter().filter(|request| request.succeeded()) {
        let event = (Lane::of(request).to_string(), request.sequence().expect("a sequence"));
        *accepted.entry(event).or_default() += 1;
    }
    let mut duplicates = 0;
    for (event, times) in accepted {
        let most = 1 + allowed.get(&event).copied().unwrap_or_default();
        assert!(
            times <= most,
            "{event:?} was accepted {times} times, with {} attempts interrupted",
            most - 1
        );
        duplicates += times - 1;
    }
    duplicates
}
