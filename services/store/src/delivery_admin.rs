//! What operators see of deliveries, and do about them.

use a2a_proto::{a2a::TaskPushNotificationConfig, push::Attempt};

use crate::{
    Fault, Store,
    codec::{CodecError, protobuf},
    keys::{PushLane, Shard},
    link::Call,
    script,
    seal::Vault,
};

/// Where the delivery to a webhook stands. Times are ms since the epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneView {
    /// From which task to which webhook.
    pub lane: PushLane,
    /// The webhook.
    pub config: TaskPushNotificationConfig,
    /// The last revision dealt with.
    pub cursor: u64,
    /// Changes after it, silent ones included.
    pub pending: u64,
    /// Failed attempts of the head.
    pub attempts: u32,
    /// When the next attempt is due; none while one is under way, or nothing is left to send.
    pub due_at_ms: Option<i64>,
    /// When the webhook last acknowledged something.
    pub last_success_at_ms: Option<i64>,
    /// Empty after a success.
    pub last_failure: String,
    /// Of the last answer that was no success.
    pub last_status: u16,
    /// Why the webhook is held; empty while it is not.
    pub disabled: String,
    /// When the oldest change after the cursor was made.
    pub oldest_pending_at_ms: Option<i64>,
    /// Events given up in a row.
    pub dead_in_a_row: u32,
    /// The last attempts, newest first.
    pub recent: Vec<Attempt>,
}

/// An event that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Where it is kept.
    pub id: DeadLetterId,
    /// For which webhook it was.
    pub lane: PushLane,
    /// Of the change.
    pub revision: u64,
    /// Why it was given up.
    pub reason: String,
    /// Of the last answer; 0 without one.
    pub status: u16,
    /// Attempts made.
    pub attempts: u32,
    /// Names the event.
    pub event_id: String,
}

/// Names a dead letter: its shard, and its place there. Places order by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeadLetterId {
    shard: usize,
    at_ms: u64,
    sequence: u64,
}

/// What became of a wish to send a dead letter again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// It will be sent.
    Queued,
    /// There is no such dead letter (any more).
    Gone,
    /// There is no such webhook (any more); the dead letter stays.
    ConfigDeleted,
}

impl DeadLetterId {
    /// Before every dead letter of `shard` that was made at `at_ms` or later.
    #[must_use]
    pub fn floor(shard: usize, at_ms: u64) -> Self {
        Self { shard, at_ms, sequence: 0 }
    }

    /// The id that `text` names.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (shard, place) = text.split_once(':')?;
        Self::in_shard(shard.parse().ok()?, place)
    }

    /// The number of its shard.
    #[must_use]
    pub fn shard(self) -> usize {
        self.shard
    }

    /// When the event was given up, ms since the epoch.
    #[must_use]
    pub fn at_ms(self) -> u64 {
        self.at_ms
    }

    /// The next place that a dead letter could have.
    #[must_use]
    pub fn successor(self) -> Self {
        Self { sequence: self.sequence.saturating_add(1), ..self }
    }

    fn in_shard(shard: usize, place: &str) -> Option<Self> {
        let (at_ms, sequence) = place.split_once('-')?;
        Some(Self { shard, at_ms: at_ms.parse().ok()?, sequence: sequence.parse().ok()? })
    }

    fn place(self) -> String {
        format!("{}-{}", self.at_ms, self.sequence)
    }
}

impl std::fmt::Display for DeadLetterId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.shard, self.place())
    }
}

impl Store {
    /// Where the delivery to a webhook stands; none if there is no such webhook.
    pub async fn lane_view(&self, lane: &PushLane) -> Result<Option<LaneView>, Fault> {
        let keys = self.keys.task(&lane.task);
        let call = Call::new(&script::PUSH_VIEW)
            .key(keys.task())
            .key(keys.push())
            .key(keys.push_lane(&lane.config))
            .key(keys.shard().due_push())
            .key(keys.shard().leases_push())
            .key(keys.events())
            .arg(&lane.config)
            .arg(lane.member());
        let reply: Vec<Vec<u8>> = self.link.run(&call).await?;
        reply.first().map(|config| LaneView::from_reply(&self.vault, lane, config, &reply)).transpose()
    }

    /// Holds a webhook. Answers whether there is such a webhook.
    pub async fn hold_lane(&self, lane: &PushLane, reason: &str) -> Result<bool, Fault> {
        self.hold_or_resume(lane, reason).await
    }

    /// Lets a held webhook go on where it stopped. Answers whether there is such
    /// a webhook.
    pub async fn resume_lane(&self, lane: &PushLane) -> Result<bool, Fault> {
        self.hold_or_resume(lane, "").await
    }

    /// Up to `most` dead letters of a shard, from `from` on, given up before
    /// `until_ms`.
    pub async fn dead_letters(
        &self,
        from: DeadLetterId,
        until_ms: Option<u64>,
        most: usize,
    ) -> Result<Vec<DeadLetter>, Fault> {
        let Some(shard) = self.keys.shards().nth(from.shard) else { return Ok(Vec::new()) };
        let last = match until_ms {
            Some(0) => return Ok(Vec::new()),
            Some(until_ms) => (until_ms - 1).to_string(),
            None => "+".to_owned(),
        };
        let call = Call::new(&script::DEAD_LIST)
            .key(self.keys.shard(shard).dead())
            .arg(from.place())
            .arg(last)
            .arg(most);
        let reply: Vec<Vec<String>> = self.link.run(&call).await?;
        Ok(reply.iter().filter_map(|fields| DeadLetter::from_reply(shard, fields)).collect())
    }

    /// Has a dead letter sent again.
    pub async fn replay(&self, letter: &DeadLetter) -> Result<Replay, Fault> {
        let keys = self.keys.task(&letter.lane.task);
        let call = Call::new(&script::DEAD_REPLAY)
            .key(keys.shard().dead())
            .key(keys.push())
            .key(keys.push_lane(&letter.lane.config))
            .key(keys.shard().due_push())
            .arg(letter.id.place())
            .arg(&letter.lane.config)
            .arg(letter.lane.member());
        Ok(match self.link.run::<String>(&call).await?.as_str() {
            "ok" => Replay::Queued,
            "deleted" => Replay::ConfigDeleted,
            _ => Replay::Gone,
        })
    }

    async fn hold_or_resume(&self, lane: &PushLane, reason: &str) -> Result<bool, Fault> {
        let keys = self.keys.task(&lane.task);
        let call = Call::new(&script::PUSH_HOLD)
            .key(keys.push())
            .key(keys.push_lane(&lane.config))
            .key(keys.shard().due_push())
            .arg(&lane.config)
            .arg(lane.member())
            .arg(reason);
        Ok(self.link.run::<String>(&call).await? == "ok")
    }
}

impl LaneView {
    fn from_reply(vault: &Vault, lane: &PushLane, config: &[u8], reply: &[Vec<u8>]) -> Result<Self, Fault> {
        let text = |index: usize| reply.get(index).map_or("".into(), |field| String::from_utf8_lossy(field));
        let number = |index: usize| text(index).parse::<u64>().unwrap_or(0);
        let small = |index: usize| u32::try_from(number(index)).unwrap_or(u32::MAX);
        // Scores are doubles: they may be written with a fraction.
        #[allow(clippy::cast_possible_truncation, reason = "times fit")]
        let time = |index: usize| text(index).parse::<f64>().ok().map(|ms| ms as i64);
        Ok(Self {
            lane: lane.clone(),
            config: vault.open(&lane.task, &lane.config, config)?,
            cursor: number(1),
            pending: number(2),
            attempts: small(3),
            due_at_ms: time(4),
            last_success_at_ms: time(5),
            last_failure: text(6).into_owned(),
            last_status: u16::try_from(number(7)).unwrap_or(0),
            disabled: text(8).into_owned(),
            oldest_pending_at_ms: time(9),
            dead_in_a_row: small(10),
            recent: recent(reply.get(11).map_or(&[], Vec::as_slice))?,
        })
    }
}

impl DeadLetter {
    fn from_reply(shard: Shard, fields: &[String]) -> Option<Self> {
        let [place, task, config, revision, reason, status, attempts, event_id] = fields else { return None };
        Some(Self {
            id: DeadLetterId::in_shard(shard.index(), place)?,
            lane: PushLane { task: task.clone(), config: config.clone() },
            revision: revision.parse().ok()?,
            reason: reason.clone(),
            status: status.parse().ok()?,
            attempts: attempts.parse().ok()?,
            event_id: event_id.clone(),
        })
    }
}

/// Reads records, each behind its length.
fn recent(mut framed: &[u8]) -> Result<Vec<Attempt>, Fault> {
    let mut attempts = Vec::new();
    while let Some((length, rest)) = framed.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let record = rest.get(..length).ok_or(CodecError::Truncated("attempts"))?;
        attempts.push(protobuf("attempt", record)?);
        framed = &rest[length..];
    }
    Ok(attempts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_order_by_time() {
        let id = DeadLetterId::from_text("3:1700000000000-2").unwrap();
        assert_eq!(id.to_string(), "3:1700000000000-2");
        assert_eq!((id.shard(), id.at_ms()), (3, 1_700_000_000_000));
        assert!(DeadLetterId::floor(3, 1_700_000_000_000) < id);
        assert!(id < id.successor());
        for text in ["", "3", "3:", "3:5", "x:5-1", "3:5-x", "3:5-1-1"] {
            assert_eq!(DeadLetterId::from_text(text), None, "{text}");
        }
    }
}
