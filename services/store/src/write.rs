//! Writing what was decided: one script for state, log and change stream.

use a2a_lifecycle::{State, transition::ArtifactWrite};
use a2a_proto::{
    a2a::{Artifact, Message, StreamResponse, TaskPushNotificationConfig, TaskStatus},
    agent::WorkRequest,
};
use prost::Message as _;
use prost_types::Struct;
use redis::{FromRedisValue, ParsingError, Value};

use crate::{
    Fault, Store, TaskHead,
    codec::stamped,
    keys::{TaskKeys, member},
    link::Call,
    script,
};

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

impl Store {
    /// Creates a task.
    pub async fn create(&self, new: &NewTask) -> Result<Created, Fault> {
        let keys = self.keys.task(&new.id);
        let state = State::Submitted;
        let config_id = push_id(new.push.as_ref());
        let call = Call::new(&script::CREATE)
            .key(keys.task())
            .key(keys.history())
            .key(keys.events())
            .key(keys.shard().changes())
            .key(keys.requests())
            .key(keys.shard().due_work(&new.tenant))
            .key(keys.shard().tenants())
            .key(keys.shard().tenant_index(&new.tenant))
            .key(keys.shard().state_index(&new.tenant, state))
            .key(keys.shard().context_index(&new.tenant, &new.context))
            .key(keys.push())
            .key(keys.push_lane(config_id))
            .key(keys.reply())
            .arg(&new.change_id)
            .arg(&new.id)
            .arg(&new.tenant)
            .arg(&new.owner)
            .arg(&new.context)
            .arg(new.at_ms)
            .arg(member(new.at_ms, &new.id, state))
            .arg(state.number())
            .arg(new.status.encode_to_vec())
            .arg(new.metadata.as_ref().map(prost::Message::encode_to_vec).unwrap_or_default())
            .arg(stamped(1, &new.message))
            .arg(new.response.encode_to_vec())
            .arg(stamped(1, &new.request))
            .arg(&new.trace)
            .arg(self.log_max_events)
            .arg(config_id)
            .arg(self.push_value(new.push.as_ref())?)
            .arg(u8::from(new.provisional));
        self.link.run(&call).await
    }

    /// Makes a provisional task one that clients see; `response` shows it. Under
    /// a lease that is another's by now it stays as it is.
    pub async fn promote(
        &self,
        head: &TaskHead,
        change_id: &str,
        at_ms: i64,
        response: &StreamResponse,
        trace: &str,
        lease_token: &str,
    ) -> Result<Commit, Fault> {
        let keys = self.keys.task(&head.id);
        let call = Call::new(&script::PROMOTE)
            .key(keys.task())
            .key(keys.events())
            .key(keys.shard().changes())
            .key(keys.shard().tenant_index(&head.tenant))
            .key(keys.shard().state_index(&head.tenant, head.state))
            .key(keys.shard().context_index(&head.tenant, &head.context))
            .key(keys.shard().leases_work())
            .arg(change_id)
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(head.revision)
            .arg(at_ms)
            .arg(response.encode_to_vec())
            .arg(trace)
            .arg(self.log_max_events)
            .arg(lease_token);
        self.link.run(&call).await
    }

    /// Answers with a message in place of a provisional task. `Conflict` means
    /// that clients see the task already, `Gone` perhaps that it was answered.
    pub async fn reply(&self, reply: &Reply<'_>) -> Result<Commit, Fault> {
        let head = reply.head;
        let keys = self.keys.task(&head.id);
        let mut call = Call::new(&script::REPLY)
            .key(keys.task())
            .key(keys.reply())
            .key(keys.shard().changes())
            .key(keys.shard().due_work(&head.tenant))
            .key(keys.shard().leases_work());
        for rest in [keys.history(), keys.artifacts(), keys.events(), keys.requests(), keys.work_lane()] {
            call = call.key(rest);
        }
        for config in self.pushes(&head.id).await? {
            call = call.key(keys.push_lane(&config.id));
        }
        let call = call
            .key(keys.push())
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(reply.lease.token)
            .arg(reply.response.encode_to_vec())
            .arg(&reply.trace)
            .arg(reply.keep_ms)
            .arg(&reply.id);
        self.link.run(&call).await
    }

    /// Sets a status.
    pub async fn set_status(&self, change: &StatusChange<'_>) -> Result<Commit, Fault> {
        let head = change.head;
        let keys = self.keys.task(&head.id);
        let superseded = head
            .status
            .message
            .as_ref()
            .map(|message| stamped(head.status_revision, message))
            .unwrap_or_default();
        let call = self
            .status_keys(&keys, change)
            .arg(&change.change_id)
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(head.revision)
            .arg(change.at_ms)
            .arg(member(change.at_ms, &head.id, change.state))
            .arg(change.state.number())
            .arg(change.status.encode_to_vec())
            .arg(superseded)
            .arg(change.response.encode_to_vec())
            .arg(&change.trace)
            .arg(self.log_max_events)
            .arg(u8::from(change.cancelable))
            .arg(change.lease.token)
            .arg(change.lease.lease_ms)
            .arg(phase(change.state));
        self.link.run(&call).await
    }

    /// Puts an artifact, or adds a chunk to one.
    pub async fn put_artifact(&self, change: &ArtifactChange<'_>) -> Result<Commit, Fault> {
        let head = change.head;
        let keys = self.keys.task(&head.id);
        let call = Call::new(&script::ARTIFACT)
            .key(keys.task())
            .key(keys.artifacts())
            .key(keys.events())
            .key(keys.shard().changes())
            .key(keys.shard().due_work(&head.tenant))
            .key(keys.shard().leases_work())
            .arg(&change.change_id)
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(head.revision)
            .arg(change.at_ms)
            .arg(&change.artifact.artifact_id)
            .arg(match change.write {
                ArtifactWrite::Put => "put",
                ArtifactWrite::Append => "append",
            })
            .arg(u8::from(change.closes))
            .arg(change.artifact.encode_to_vec())
            .arg(change.response.encode_to_vec())
            .arg(&change.trace)
            .arg(self.log_max_events)
            .arg(change.lease.token)
            .arg(change.lease.lease_ms);
        self.link.run(&call).await
    }

    /// Adds a client's message; answers the revision at which the task took it.
    pub async fn add_message(&self, change: &MessageChange<'_>) -> Result<(Commit, u64), Fault> {
        let head = change.head;
        let keys = self.keys.task(&head.id);
        let config_id = push_id(change.push.as_ref());
        let revision = head.revision + 1;
        let call = Call::new(&script::MESSAGE)
            .key(keys.task())
            .key(keys.history())
            .key(keys.events())
            .key(keys.shard().changes())
            .key(keys.requests())
            .key(keys.shard().due_work(&head.tenant))
            .key(keys.artifacts())
            .key(keys.push())
            .key(keys.push_lane(config_id))
            .key(keys.taken())
            .arg(&change.change_id)
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(head.revision)
            .arg(change.at_ms)
            .arg(stamped(revision, &change.message))
            .arg(stamped(revision, &change.request))
            .arg(&change.trace)
            .arg(self.log_max_events)
            .arg(config_id)
            .arg(self.push_value(change.push.as_ref())?)
            .arg(change.push.as_ref().map_or(0, |push| push.max_configs))
            .arg(change.remember_ms);
        let reply: Vec<Value> = self.link.run(&call).await?;
        let mut reply = reply.into_iter();
        let commit = parsed(reply.next())?;
        Ok((commit, if commit == Commit::Applied { parsed(reply.next())? } else { 0 }))
    }

    fn push_value(&self, push: Option<&NewPush>) -> Result<Vec<u8>, Fault> {
        Ok(push.map(|push| self.vault.close(&push.config)).transpose()?.unwrap_or_default())
    }

    fn status_keys(&self, keys: &TaskKeys<'_>, change: &StatusChange<'_>) -> Call {
        let (head, shard) = (change.head, keys.shard());
        Call::new(&script::STATUS)
            .key(keys.task())
            .key(keys.history())
            .key(keys.events())
            .key(shard.changes())
            .key(keys.requests())
            .key(shard.due_work(&head.tenant))
            .key(shard.leases_work())
            .key(keys.work_lane())
            .key(shard.tenant_index(&head.tenant))
            .key(shard.context_index(&head.tenant, &head.context))
            .key(shard.state_index(&head.tenant, head.state))
            .key(shard.state_index(&head.tenant, change.state))
            .key(shard.expiry())
    }
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

fn phase(state: State) -> &'static str {
    if state.is_terminal() {
        "terminal"
    } else if state.is_interrupted() {
        "interrupted"
    } else {
        "live"
    }
}

fn parsed<T: FromRedisValue>(value: Option<Value>) -> Result<T, Fault> {
    T::from_redis_value(value.unwrap_or(Value::Nil)).map_err(|error| Fault::Refused(error.into()))
}

fn push_id(push: Option<&NewPush>) -> &str {
    push.map_or("", |push| &push.config.id)
}
