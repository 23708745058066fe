//! Entries of a shard's change stream.
//!
//! The format is version 1 and open to anyone's consumer group: see
//! [`crate::keys`]. Fields may be added; none changes its meaning.

use std::collections::HashMap;

use a2a_proto::a2a::StreamResponse;
use bytes::Bytes;
use redis::{FromRedisValue as _, Value};

use crate::codec::{CodecError, protobuf};

/// What happened to a task. The names are those of the domain's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A task came into being.
    TaskCreated,
    /// A message may become a task, if its agent does not answer it with a
    /// message; silent to subscribers.
    TaskProposed,
    /// The agent answered with a message, and no task came of it.
    MessageReplied,
    /// Its status changed.
    TaskStatusUpdated,
    /// An artifact changed.
    TaskArtifactUpdated,
    /// A client added a message; silent to subscribers.
    TaskMessageReceived,
    /// A webhook was registered or replaced; no change of the task.
    PushNotificationConfigCreated,
    /// A webhook was removed; no change of the task.
    PushNotificationConfigDeleted,
    /// Written by a later version.
    Unknown,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// To which task.
    pub task: String,
    /// Of which tenant.
    pub tenant: String,
    /// The task's revision after it.
    pub revision: u64,
    /// What a subscriber sees, encoded; empty when the change is silent.
    pub payload: Bytes,
    /// W3C Trace Context of the call that made it: traceparent, a space, tracestate.
    pub trace: String,
}

impl ChangeKind {
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "TaskCreated" => Self::TaskCreated,
            "TaskProposed" => Self::TaskProposed,
            "MessageReplied" => Self::MessageReplied,
            "TaskStatusUpdated" => Self::TaskStatusUpdated,
            "TaskArtifactUpdated" => Self::TaskArtifactUpdated,
            "TaskMessageReceived" => Self::TaskMessageReceived,
            "PushNotificationConfigCreated" => Self::PushNotificationConfigCreated,
            "PushNotificationConfigDeleted" => Self::PushNotificationConfigDeleted,
            _ => Self::Unknown,
        }
    }

    /// Whether it raised the task's revision.
    #[must_use]
    pub const fn is_of_the_task(self) -> bool {
        !matches!(
            self,
            Self::PushNotificationConfigCreated | Self::PushNotificationConfigDeleted | Self::Unknown
        )
    }
}

impl Change {
    /// What a subscriber sees, or nothing when the change is silent.
    pub fn response(&self) -> Result<Option<StreamResponse>, CodecError> {
        if self.payload.is_empty() {
            return Ok(None);
        }
        protobuf("event", &self.payload).map(Some)
    }

    pub(crate) fn decode(fields: &HashMap<String, Value>) -> Result<Self, CodecError> {
        Ok(Self {
            kind: ChangeKind::from_name(&text(fields, "kind")?),
            task: text(fields, "task")?,
            tenant: text(fields, "tenant")?,
            revision: text(fields, "revision")?.parse().map_err(|_| CodecError::Field("revision"))?,
            payload: bytes(fields, "payload")?.into(),
            trace: text(fields, "trace")?,
        })
    }
}

pub(crate) fn bytes(fields: &HashMap<String, Value>, name: &'static str) -> Result<Vec<u8>, CodecError> {
    let value = fields.get(name).ok_or(CodecError::Field(name))?;
    Vec::<u8>::from_redis_value_ref(value).map_err(|_| CodecError::Field(name))
}

pub(crate) fn text(fields: &HashMap<String, Value>, name: &'static str) -> Result<String, CodecError> {
    String::from_utf8(bytes(fields, name)?).map_err(|_| CodecError::Field(name))
}
