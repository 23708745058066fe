//! Tasks and items as lines, the same for the model and for the wire.

use a2a_proto::a2a::{Message, StreamResponse, Task, TaskStatus, stream_response::Payload};

use crate::stage::text;

/// An artifact with its parts.
pub(super) type Written = (String, Vec<String>);

/// A task: its state, what was said with it, its history and its artifacts.
pub(super) fn line(state: &str, said: &str, history: &[String], artifacts: &[Written]) -> String {
    format!("{state} {said:?} history {history:?} artifacts {artifacts:?}")
}

pub(super) fn status_line(state: &str, said: &str) -> String {
    format!("status {state} {said:?}")
}

pub(super) fn chunk_line(artifact: &str, part: &str, append: bool, last: bool) -> String {
    format!("artifact {artifact} {part:?} append {append} last {last}")
}

/// A task as the wire has it.
pub(super) fn task(task: &Task) -> String {
    let (state, said) = status(task.status.as_ref());
    let history: Vec<String> = task.history.iter().map(words).collect();
    let artifacts: Vec<Written> = task
        .artifacts
        .iter()
        .map(|artifact| {
            let parts = artifact.parts.iter().map(|part| text(part).to_owned()).collect();
            (artifact.artifact_id.clone(), parts)
        })
        .collect();
    line(state, &said, &history, &artifacts)
}

/// An item of a stream, or what a webhook got.
pub(super) fn item(item: &StreamResponse) -> String {
    match item.payload.as_ref().expect("a payload") {
        Payload::Task(found) => task(found),
        Payload::StatusUpdate(update) => {
            let (state, said) = status(update.status.as_ref());
            status_line(state, &said)
        }
        Payload::ArtifactUpdate(update) => {
            let artifact = update.artifact.as_ref().expect("an artifact");
            chunk_line(&artifact.artifact_id, text(&artifact.parts[0]), update.append, update.last_chunk)
        }
        Payload::Message(message) => panic!("no task is answered with a message: {message:?}"),
    }
}

fn status(status: Option<&TaskStatus>) -> (&'static str, String) {
    let status = status.expect("a status");
    (status.state().as_str_name(), status.message.as_ref().map(words).unwrap_or_default())
}

fn words(message: &Message) -> String {
    text(&message.parts[0]).to_owned()
}
