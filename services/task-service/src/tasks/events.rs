//! What subscribers and webhooks are sent.

use a2a_proto::a2a::{
    Artifact, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent,
    stream_response::Payload,
};
use a2a_store::TaskHead;
use prost_types::{Struct, Timestamp};

/// Milliseconds since the epoch as the wire shows them.
pub(crate) fn timestamp(at_ms: i64) -> Timestamp {
    let nanos = i32::try_from(at_ms.rem_euclid(1_000) * 1_000_000).unwrap_or_default();
    Timestamp { seconds: at_ms.div_euclid(1_000), nanos }
}

/// Leaves the newest `most` messages of a task's history; without a limit all.
pub(crate) fn shorten_history(task: &mut Task, most: Option<usize>) {
    let skipped = most.map_or(0, |most| task.history.len().saturating_sub(most));
    task.history.drain(..skipped);
}

/// The task's status changed.
pub(crate) fn status_event(head: &TaskHead, status: TaskStatus, metadata: Option<Struct>) -> StreamResponse {
    StreamResponse {
        payload: Some(Payload::StatusUpdate(TaskStatusUpdateEvent {
            task_id: head.id.clone(),
            context_id: head.context.clone(),
            status: Some(status),
            metadata,
        })),
    }
}

/// An artifact changed.
pub(crate) fn artifact_event(
    head: &TaskHead,
    artifact: Artifact,
    append: bool,
    last_chunk: bool,
    metadata: Option<Struct>,
) -> StreamResponse {
    StreamResponse {
        payload: Some(Payload::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: head.id.clone(),
            context_id: head.context.clone(),
            artifact: Some(artifact),
            append,
            last_chunk,
            metadata,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_whole_milliseconds() {
        assert_eq!(timestamp(1_700_000_000_123), Timestamp { seconds: 1_700_000_000, nanos: 123_000_000 });
        assert_eq!(timestamp(-1), Timestamp { seconds: -1, nanos: 999_000_000 });
    }
}
