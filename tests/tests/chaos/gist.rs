//! What an event says, in a word.

use a2a_proto::a2a::{Part, StreamResponse, Task, part::Content, stream_response::Payload};
use prost_types::value::Kind;

/// The extension that puts the revision into the metadata of each item.
pub(crate) const REVISIONS: &str = "urn:a2a-tasks:revision:v1";

/// The state of a task or status with what it says, or the text of an artifact.
pub(crate) fn gist(item: &StreamResponse) -> String {
    match item.payload.as_ref().expect("a payload") {
        Payload::Task(_) => "task".to_owned(),
        Payload::StatusUpdate(update) => {
            let status = update.status.as_ref().expect("a status");
            let said = status.message.as_ref().map(|message| texts(&message.parts)).unwrap_or_default();
            format!("{} {said}", status.state().as_str_name()).trim_end().to_owned()
        }
        Payload::ArtifactUpdate(update) => {
            format!("artifact {}", texts(&update.artifact.as_ref().expect("an artifact").parts))
        }
        Payload::Message(message) => format!("message {}", texts(&message.parts)),
    }
}

/// The revision that an item carries for callers that name [`REVISIONS`].
pub(crate) fn revision(item: &StreamResponse) -> i64 {
    let metadata = match item.payload.as_ref().expect("a payload") {
        Payload::Task(task) => &task.metadata,
        Payload::Message(message) => &message.metadata,
        Payload::StatusUpdate(update) => &update.metadata,
        Payload::ArtifactUpdate(update) => &update.metadata,
    };
    match metadata.as_ref().and_then(|metadata| metadata.fields.get(REVISIONS)?.kind.as_ref()) {
        Some(Kind::NumberValue(revision)) => *revision as i64,
        other => panic!("no revision but {other:?} in {item:?}"),
    }
}

/// The state of a task, by name.
pub(crate) fn state(task: &Task) -> &'static str {
    task.status.as_ref().expect("a status").state().as_str_name()
}

/// The text of parts.
pub(crate) fn texts(parts: &[Part]) -> String {
    parts.iter().map(text).collect()
}

fn text(part: &Part) -> &str {
    match &part.content {
        Some(Content::Text(text)) => text,
        other => panic!("expected text, got {other:?}"),
    }
}
