//! What agents write: artifacts and status messages.

use a2a_proto::a2a::{Artifact, Message, Role};
use prost::Message as _;

use super::{Bounds, Violations, content};
use crate::error::Error;

/// Checks an artifact or a chunk of one.
pub fn artifact(artifact: Option<Artifact>, bounds: Bounds) -> Result<Artifact, Error> {
    let mut violations = Violations::default();
    let Some(artifact) = artifact else { return Err(Error::invalid("artifact", "is required")) };
    violations.required_id("artifact.artifactId", &artifact.artifact_id);
    content::check_parts(&mut violations, "artifact", &artifact.parts, bounds);
    if artifact.encoded_len() > bounds.max_message_bytes {
        violations
            .add("artifact", format!("is larger than {} bytes: send it in chunks", bounds.max_message_bytes));
    }
    content::check_metadata(&mut violations, "artifact.metadata", artifact.metadata.as_ref(), bounds);
    violations.finish()?;
    Ok(artifact)
}

/// Checks a message of an agent about `task` under `path` and fills in what the
/// service knows: the role, the task, and an id of its own.
pub fn agent_message(
    path: &str,
    message: Message,
    task: &str,
    new_id: impl FnOnce() -> String,
    bounds: Bounds,
) -> Result<Message, Error> {
    let mut violations = Violations::default();
    if message.role == Role::User as i32 {
        violations.add(format!("{path}.role"), "must be ROLE_AGENT");
    }
    if !message.task_id.is_empty() && message.task_id != task {
        violations.add(format!("{path}.taskId"), "must be the task's id");
    }
    let message_id = if message.message_id.is_empty() { new_id() } else { message.message_id };
    let message = Message { message_id, role: Role::Agent as i32, task_id: task.to_owned(), ..message };
    content::check_message(&mut violations, path, &message, bounds);
    violations.finish()?;
    Ok(message)
}

/// The message in the context of its task, which it may name or leave empty.
pub fn in_context(path: &str, message: Message, context: &str) -> Result<Message, Error> {
    if !message.context_id.is_empty() && message.context_id != context {
        return Err(Error::invalid(format!("{path}.contextId"), "must be the task's context"));
    }
    Ok(Message { context_id: context.to_owned(), ..message })
}
