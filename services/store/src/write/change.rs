//! What is written, and what became of it.

use a2a_lifecycle::{State, transition::ArtifactWrite};
use a2a_proto::{
    a2a::{Artifact, Message, StreamResponse, TaskPushNotificationConfig, TaskStatus},
    agent::WorkRequest,
};
use prost_types::Struct;
use redis::{FromRedisValue, ParsingError, Value};

use crate::TaskHead;

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// It is in, perhaps by an earlier try whose answer was lost.
    Applied,
    /// The task has moved on from the revision that was decided on: read it
    /// again and decide anew.
    Conflict,
    /// There is no such task (any more).
    Gone,
    /// The caller's lease is another's by now.
    Fenced,
    /// The task has as many webhooks as it may.
    Full,
}

/// What became of a task to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// It is in.
    New,
    /// It was in already, by this very change.
    Repeated,
    /// The id is another's.
    Taken,
}

/// A task to create.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// Names this change: sent again, it is applied once.
    pub change_id: String,
    /// The task's id.
    pub id: String,
    /// Empty for requests without a tenant.
    pub tenant: String,
    /// The principal it belongs to.
    pub owner: String,
    /// The context it belongs to.
    pub context: String,
    /// Now, ms since the epoch.
    pub at_ms: i64,
    /// Its first status, which says SUBMITTED.
    pub status: TaskStatus,
    /// Metadata of the task.
    pub metadata: Option<Struct>,
    /// The client's message.
    pub message: Message,
    /// The work that it makes.
    pub request: WorkRequest,
    /// What a subscriber sees.
    pub response: StreamResponse,
    /// Trace context of the call.
    pub trace: String,
    /// A webhook to register in the same step.
    pub push: Option<NewPush>,
    /// Only its agent sees it, for now.
    pub provisional: bool,
}

/// A webhook that comes with a message.
#[derive(Clone, Debug)]
pub struct NewPush {
    /// With its id and task id.
    pub config: TaskPushNotificationConfig,
    /// Most webhooks a task may have.
    pub max_configs: usize,
}

/// A change of status, decided on `head`.
#[derive(Clone, Debug)]
pub struct StatusChange<'a> {
    /// Names this change: sent again, it is applied once.
    pub change_id: String,
    /// The task as it was read.
    pub head: &'a TaskHead,
    /// The state after.
    pub state: State,
    /// When, ms since the epoch.
    pub at_ms: i64,
    /// Whether a client may cancel from now on.
    pub cancelable: bool,
    /// The status after.
    pub status: TaskStatus,
    /// What a subscriber sees.
    pub response: StreamResponse,
    /// Trace context of the call.
    pub trace: String,
    /// The lease under which the caller acts.
    pub lease: LeaseTerm<'a>,
}

/// An artifact or a chunk of one, decided on `head`.
#[derive(Clone, Debug)]
pub struct ArtifactChange<'a> {
    /// Names this change: sent again, it is applied once.
    pub change_id: String,
    /// The task as it was read.
    pub head: &'a TaskHead,
    /// Now, ms since the epoch.
    pub at_ms: i64,
    /// In the place of what is held, or behind it.
    pub write: ArtifactWrite,
    /// No chunk follows.
    pub closes: bool,
    /// The chunk.
    pub artifact: Artifact,
    /// What a subscriber sees.
    pub response: StreamResponse,
    /// Trace context of the call.
    pub trace: String,
    /// The lease under which the caller acts.
    pub lease: LeaseTerm<'a>,
}

/// A client's message to a task, decided on `head`.
#[derive(Clone, Debug)]
pub struct MessageChange<'a> {
    /// Names this change: sent again, it is applied once.
    pub change_id: String,
    /// The task as it was read.
    pub head: &'a TaskHead,
    /// Now, ms since the epoch.
    pub at_ms: i64,
    /// The message.
    pub message: Message,
    /// The work that it makes.
    pub request: WorkRequest,
    /// Trace context of the call.
    pub trace: String,
    /// A webhook to register in the same step.
    pub push: Option<NewPush>,
    /// For how long the change is remembered, ms; 0 when nobody sends it again.
    pub remember_ms: u64,
}

/// A message that takes the place of a provisional task, decided on `head`.
#[derive(Clone, Debug)]
pub struct Reply<'a> {
    /// Names this reply: sent again, it is given once.
    pub id: String,
    /// The task as it was read.
    pub head: &'a TaskHead,
    /// What the caller is sent.
    pub response: StreamResponse,
    /// Trace context of the call.
    pub trace: String,
    /// The lease under which the caller acts.
    pub lease: LeaseTerm<'a>,
    /// For how long it is kept for callers that did not hear it, ms.
    pub keep_ms: u64,
}

/// Under which lease somebody acts, and for how long that renews it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerm<'a> {
    /// Empty when the caller acts under none.
    pub token: &'a str,
    /// From now.
    pub lease_ms: u64,
}

impl FromRedisValue for Created {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        match String::from_redis_value(value)?.as_str() {
            "ok" => Ok(Self::New),
            "repeated" => Ok(Self::Repeated),
            "exists" => Ok(Self::Taken),
            other => Err(format!("unknown reply {other:?} of a script").into()),
        }
    }
}

impl FromRedisValue for Commit {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        match String::from_redis_value(value)?.as_str() {
            "ok" => Ok(Self::Applied),
            "conflict" => Ok(Self::Conflict),
            "gone" => Ok(Self::Gone),
            "fenced" => Ok(Self::Fenced),
            "full" => Ok(Self::Full),
            other => Err(format!("unknown reply {other:?} of a script").into()),
        }
    }
}
