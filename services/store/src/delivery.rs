//! The webhooks' lanes: what to send next, and what became of it.

use std::time::Duration;

use a2a_proto::{
    a2a::{StreamResponse, TaskPushNotificationConfig, stream_response::Payload},
    push::Attempt,
};
use prost::Message as _;
use redis::{ParsingError, Value, from_redis_value_ref};

use crate::{
    Fault, Store,
    codec::{CodecError, TaskView, protobuf},
    keys::{PushLane, Shard},
    link::Call,
    script,
    seal::Vault,
    work::claimed,
};

/// Lanes leased by one claim, all under its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedLanes {
    /// The lanes.
    pub lanes: Vec<PushLane>,
    /// When the next one of the shard is due, if any is waiting or leased.
    pub next_due: Option<Duration>,
}

/// A lane held under a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The lane.
    pub lane: PushLane,
    /// The token of the claim.
    pub token: String,
    /// For how long each step renews it.
    pub lease_ms: u64,
}

/// What a lane does next.
#[derive(Debug)]
pub enum Next {
    /// Sends this.
    Send(Box<Delivery>),
    /// Nothing: the lease has ended.
    Rest,
    /// Nothing: the lease is another's by now.
    Lost,
}

/// The head of a lane.
#[derive(Debug)]
pub struct Delivery {
    /// The cursor after it is acknowledged.
    pub revision: u64,
    /// A change from the log, or the task as it stood.
    pub kind: DeliveryKind,
    /// Names the event, whatever the attempt.
    pub event_id: String,
    /// The webhook, as it is registered now.
    pub config: TaskPushNotificationConfig,
    /// Trace context of the call that made the change.
    pub trace: String,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Since the first attempt.
    pub age: Duration,
    /// How often an attempt was begun and never finished, this one included.
    pub starts: u32,
    /// When the change was made, ms since the epoch; unknown for a snapshot.
    pub committed_at_ms: Option<i64>,
    body: Vec<u8>,
    task: String,
}

/// Where a delivery comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryKind {
    /// A change, from the log.
    Event,
    /// The task as it stood at `revision`.
    Snapshot,
}

/// Why an event is given up.
#[derive(Clone, Debug, PartialEq)]
pub struct Parked<'a> {
    /// A short stable name.
    pub reason: &'a str,
    /// Attempts made.
    pub attempts: u32,
    /// Most dead letters kept in a shard.
    pub max_dead_letters: u64,
    /// Such events in a row after which the webhook is held; 0 when this one does not
    /// count, or none do.
    pub hold_after: u32,
    /// The attempt that led to it, if there was one.
    pub last: Option<&'a Attempt>,
}

impl Store {
    /// Leases up to `most` due lanes of a shard.
    pub async fn claim_lanes(
        &self,
        shard: Shard,
        most: usize,
        lease_ms: u64,
        token: &str,
    ) -> Result<ClaimedLanes, Fault> {
        let keys = self.keys.shard(shard);
        let call = Call::new(&script::CLAIM)
            .key(keys.due_push())
            .key(keys.leases_push())
            .arg(most)
            .arg(lease_ms)
            .arg(token);
        let (next_due, members) = claimed(self.link.run(&call).await?);
        let lanes = members.iter().filter_map(|member| PushLane::from_member(member)).collect();
        Ok(ClaimedLanes { lanes, next_due })
    }

    /// What the lane sends next.
    pub async fn load(&self, lease: &Lease) -> Result<Next, Fault> {
        self.next_delivery(lease, self.lane_call(&script::PUSH_LOAD, lease)).await
    }

    /// The webhook acknowledged the delivery; on to the next.
    pub async fn done(&self, lease: &Lease, delivery: &Delivery, attempt: &Attempt) -> Result<Next, Fault> {
        let call = self
            .lane_call(&script::PUSH_DONE, lease)
            .arg(delivery.revision)
            .arg(&delivery.event_id)
            .arg(attempt.encode_to_vec());
        self.next_delivery(lease, call).await
    }

    /// The delivery is given up and becomes a dead letter; on to the next.
    pub async fn park(&self, lease: &Lease, delivery: &Delivery, why: &Parked<'_>) -> Result<Next, Fault> {
        let call = self
            .lane_call(&script::PUSH_PARK, lease)
            .arg(delivery.revision)
            .arg(match delivery.kind {
                DeliveryKind::Event => "event",
                DeliveryKind::Snapshot => "snapshot",
            })
            .arg(&delivery.body)
            .arg(&delivery.event_id)
            .arg(&lease.lane.task)
            .arg(why.reason)
            .arg(why.last.map_or(0, |attempt| attempt.status))
            .arg(why.attempts)
            .arg(why.max_dead_letters)
            .arg(record(why.last))
            .arg(why.hold_after);
        self.next_delivery(lease, call).await
    }

    /// Another attempt after `delay`. A `counted` one adds to the most that are
    /// made. Answers whether the lease was still held.
    pub async fn later(
        &self,
        lease: &Lease,
        delay: Duration,
        counted: Option<&Attempt>,
    ) -> Result<bool, Fault> {
        let call = self
            .lease_call(&script::PUSH_LATER, lease)
            .arg(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX))
            .arg(record(counted))
            .arg(counted.map_or("", |attempt| &attempt.outcome))
            .arg(counted.map_or(0, |attempt| attempt.status));
        Ok(self.link.run::<String>(&call).await? == "ok")
    }

    /// Holds the webhook until it is enabled again. Answers whether the lease
    /// was still held.
    pub async fn disable(&self, lease: &Lease, reason: &str, last: Option<&Attempt>) -> Result<bool, Fault> {
        let call = self
            .lease_call(&script::PUSH_DISABLE, lease)
            .arg(reason)
            .arg(last.map_or(0, |attempt| attempt.status))
            .arg(record(last));
        Ok(self.link.run::<String>(&call).await? == "ok")
    }

    fn lease_call(&self, script: &'static redis::Script, lease: &Lease) -> Call {
        let keys = self.keys.task(&lease.lane.task);
        Call::new(script)
            .key(keys.shard().due_push())
            .key(keys.shard().leases_push())
            .key(keys.push_lane(&lease.lane.config))
            .arg(lease.lane.member())
            .arg(&lease.token)
    }

    fn lane_call(&self, script: &'static redis::Script, lease: &Lease) -> Call {
        let keys = self.keys.task(&lease.lane.task);
        Call::new(script)
            .key(keys.shard().due_push())
            .key(keys.shard().leases_push())
            .key(keys.push_lane(&lease.lane.config))
            .key(keys.push())
            .key(keys.task())
            .key(keys.history())
            .key(keys.artifacts())
            .key(keys.events())
            .key(keys.shard().dead())
            .arg(lease.lane.member())
            .arg(&lease.lane.config)
            .arg(&lease.token)
            .arg(lease.lease_ms)
    }

    async fn next_delivery(&self, lease: &Lease, call: Call) -> Result<Next, Fault> {
        let reply: Vec<Value> = self.link.run(&call).await?;
        match field::<String>(&reply, 0)?.as_str() {
            "event" => Delivery::from_reply(&self.vault, &lease.lane, DeliveryKind::Event, &reply),
            "snapshot" => Delivery::from_reply(&self.vault, &lease.lane, DeliveryKind::Snapshot, &reply),
            "lost" => Ok(Next::Lost),
            _ => Ok(Next::Rest),
        }
    }
}

impl Delivery {
    /// What is sent: exactly what a subscriber would see.
    pub fn response(&self) -> Result<StreamResponse, CodecError> {
        match self.kind {
            DeliveryKind::Event => protobuf("event", &self.body),
            DeliveryKind::Snapshot => {
                let view = TaskView::from_snapshot(&self.task, &self.body)?;
                let task = view.ok_or(CodecError::Truncated("snapshot"))?.into_task(None);
                Ok(StreamResponse { payload: Some(Payload::Task(task)) })
            }
        }
    }

    fn from_reply(
        vault: &Vault,
        lane: &PushLane,
        kind: DeliveryKind,
        reply: &[Value],
    ) -> Result<Next, Fault> {
        let config: Vec<u8> = field(reply, 4)?;
        Ok(Next::Send(Box::new(Self {
            kind,
            revision: field(reply, 1)?,
            body: field(reply, 2)?,
            event_id: field(reply, 3)?,
            config: vault.open(&lane.task, &lane.config, &config)?,
            trace: field(reply, 5)?,
            attempts: field(reply, 6)?,
            age: Duration::from_millis(field::<u64>(reply, 7)?),
            starts: field(reply, 8)?,
            committed_at_ms: field::<String>(reply, 9)?.parse().ok(),
            task: lane.task.clone(),
        })))
    }
}

/// As the scripts keep it; empty for none.
fn record(attempt: Option<&Attempt>) -> Vec<u8> {
    attempt.map(Attempt::encode_to_vec).unwrap_or_default()
}

fn field<T: redis::FromRedisValue>(reply: &[Value], index: usize) -> Result<T, Fault> {
    from_redis_value_ref(reply.get(index).unwrap_or(&Value::Nil))
        .map_err(|error: ParsingError| Fault::Refused(error.into()))
}
