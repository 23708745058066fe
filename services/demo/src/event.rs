//! Events in one line.

use std::fmt;

use a2a_proto::a2a::{
    Message, Part, StreamResponse, TaskArtifactUpdateEvent, TaskStatus, part::Content,
    stream_response::Payload,
};

/// Shows an event for people: its kind, then what it says.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a>(pub &'a StreamResponse);

/// The task that an event is about.
#[must_use]
pub fn task_id(event: &StreamResponse) -> &str {
    match &event.payload {
        Some(Payload::Task(task)) => &task.id,
        Some(Payload::Message(message)) => &message.task_id,
        Some(Payload::StatusUpdate(update)) => &update.task_id,
        Some(Payload::ArtifactUpdate(update)) => &update.task_id,
        None => "",
    }
}

/// All text of some parts.
#[must_use]
pub fn text(parts: &[Part]) -> String {
    let text = |part: &Part| match &part.content {
        Some(Content::Text(text)) => Some(text.clone()),
        _ => None,
    };
    parts.iter().filter_map(text).collect()
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.payload {
            Some(Payload::Task(task)) => write!(f, "task            {}", status(task.status.as_ref())),
            Some(Payload::Message(message)) => write!(f, "message         {:?}", text(&message.parts)),
            Some(Payload::StatusUpdate(update)) => {
                write!(f, "statusUpdate    {}", status(update.status.as_ref()))
            }
            Some(Payload::ArtifactUpdate(update)) => write!(f, "artifactUpdate  {}", artifact(update)),
            None => f.write_str("nothing"),
        }
    }
}

fn status(status: Option<&TaskStatus>) -> String {
    let state = status.map(|status| status.state().as_str_name()).unwrap_or_default();
    let state = state.trim_start_matches("TASK_STATE_");
    match status.and_then(|status| status.message.as_ref()) {
        Some(Message { parts, .. }) => format!("{state} {:?}", text(parts)),
        None => state.to_owned(),
    }
}

fn artifact(update: &TaskArtifactUpdateEvent) -> String {
    let (id, text) = match &update.artifact {
        Some(artifact) => (artifact.artifact_id.as_str(), text(&artifact.parts)),
        None => ("", String::new()),
    };
    let last = if update.last_chunk { ", last chunk" } else { "" };
    format!("{id} {text:?}{last}")
}

#[cfg(test)]
mod tests {
    use a2a_proto::json;

    use super::*;

    fn line(event: &str) -> String {
        Line(&json::from_slice(event.as_bytes()).unwrap()).to_string()
    }

    #[test]
    fn each_kind_has_a_line() {
        for (event, expected) in [
            (r#"{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}"#, "task            SUBMITTED"),
            (
                r#"{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING","message":{"parts":[{"text":"On it"}]}}}}"#,
                r#"statusUpdate    WORKING "On it""#,
            ),
            (
                r#"{"artifactUpdate":{"artifact":{"artifactId":"a","parts":[{"text":"x\ny"}]},"lastChunk":true}}"#,
                r#"artifactUpdate  a "x\ny", last chunk"#,
            ),
            (r#"{"message":{"parts":[{"text":"hi"},{"data":1}]}}"#, r#"message         "hi""#),
        ] {
            assert_eq!(line(event), expected);
        }
    }
}
