//! Writing what was decided: one script for state, log and change stream.

mod change;

pub use change::{
    ArtifactChange, Commit, Created, LeaseTerm, MessageChange, NewPush, NewTask, Reply, StatusChange,
};

use a2a_lifecycle::{State, transition::ArtifactWrite};
use a2a_proto::a2a::StreamResponse;
use prost::Message as _;
use redis::{FromRedisValue, Value};

use crate::{
    Fault, Store, TaskHead,
    codec::stamped,
    keys::{TaskKeys, member},
    link::Call,
    script,
};

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
