//! Reading one task, and its log.

use std::collections::HashMap;

use a2a_lifecycle::transition::HeldArtifact;
use a2a_proto::a2a::StreamResponse;
use redis::streams::{StreamId, StreamRangeReply};

use crate::{
    Fault, Store,
    changes::{ChangeKind, bytes, text},
    codec::{CodecError, RawTask, TaskHead, TaskView, protobuf},
    link::Call,
    script,
};

/// Entries read from a log at once.
const LOG_PAGE: usize = 256;

/// Which parts of a task are wanted beside its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The history.
    pub history: bool,
    /// The artifacts.
    pub artifacts: bool,
}

/// One change of a task, from its log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// The task's revision after it.
    pub revision: u64,
    /// What happened.
    pub kind: ChangeKind,
    /// What a subscriber sees; nothing when the change is silent.
    pub response: Option<StreamResponse>,
}

/// What a log has after a revision.
#[derive(Clone, Debug, PartialEq)]
pub enum LogRead {
    /// The changes that follow, without a gap; possibly none yet.
    Entries(Vec<LogEntry>),
    /// The log no longer reaches back so far.
    Gap,
}

impl Parts {
    /// The whole task.
    pub const ALL: Self = Self { history: true, artifacts: true };
    /// Only the head.
    pub const NONE: Self = Self { history: false, artifacts: false };
}

impl Store {
    /// The task as it stands, with the parts wanted.
    pub async fn read(&self, id: &str, parts: Parts) -> Result<Option<TaskView>, Fault> {
        let keys = self.keys.task(id);
        let call = Call::new(&script::READ)
            .key(keys.task())
            .key(keys.history())
            .key(keys.artifacts())
            .arg(u8::from(parts.history))
            .arg(u8::from(parts.artifacts));
        let raw: RawTask = self.link.run(&call).await?;
        Ok(TaskView::decode(id, &raw)?)
    }

    /// The task without history and artifacts.
    pub async fn head(&self, id: &str) -> Result<Option<TaskHead>, Fault> {
        let mut command = redis::cmd("HGETALL");
        command.arg(self.keys.task(id).task());
        let fields: HashMap<String, Vec<u8>> = self.link.query(&command).await?;
        if fields.is_empty() {
            return Ok(None);
        }
        Ok(Some(TaskHead::decode(id, &fields)?))
    }

    /// What is known of an artifact. Read it after the head: what changed in
    /// between raised the revision, and the commit will say so.
    pub async fn held_artifact(&self, task: &str, artifact: &str) -> Result<Option<HeldArtifact>, Fault> {
        let mut command = redis::cmd("HGET");
        command.arg(self.keys.task(task).artifacts()).arg(format!("closed:{artifact}"));
        let closed: Option<u8> = self.link.query(&command).await?;
        Ok(closed.map(|closed| HeldArtifact { closed: closed == 1 }))
    }

    /// The message that answered in place of a task, if one did.
    pub async fn direct_reply(&self, task: &str) -> Result<Option<StreamResponse>, Fault> {
        let mut command = redis::cmd("HGET");
        command.arg(self.keys.task(task).reply()).arg("payload");
        let reply: Option<Vec<u8>> = self.link.query(&command).await?;
        Ok(reply.map(|bytes| protobuf("reply", &bytes)).transpose()?)
    }

    /// The changes of a task after `revision`, a page at most.
    pub async fn log_after(&self, task: &str, revision: u64) -> Result<LogRead, Fault> {
        let mut command = redis::cmd("XRANGE");
        command
            .arg(self.keys.task(task).events())
            .arg(format!("{}-0", revision + 1))
            .arg("+")
            .arg("COUNT")
            .arg(LOG_PAGE);
        let reply: StreamRangeReply = self.link.query(&command).await?;
        let entries = reply.ids.iter().map(decode_entry).collect::<Result<Vec<_>, CodecError>>()?;
        match entries.first() {
            Some(first) if first.revision != revision + 1 => Ok(LogRead::Gap),
            _ => Ok(LogRead::Entries(entries)),
        }
    }
}

fn decode_entry(entry: &StreamId) -> Result<LogEntry, CodecError> {
    let revision =
        entry.id.split('-').next().and_then(|id| id.parse().ok()).ok_or(CodecError::Field("id"))?;
    let payload = bytes(&entry.map, "payload")?;
    let response = if payload.is_empty() { None } else { Some(protobuf("event", &payload)?) };
    Ok(LogEntry { revision, kind: ChangeKind::from_name(&text(&entry.map, "kind")?), response })
}
