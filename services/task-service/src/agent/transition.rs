//! The moves of a task, and news of its progress.

use a2a_lifecycle::transition::{StatusCommand, expect_revision, set_status};
use a2a_proto::{
    a2a::{Message, Task},
    agent::TransitionRequest,
};
use a2a_runtime::{clock, random};
use a2a_store::{Commit, TaskHead};

use super::Agents;
use crate::{call::Call, change::status_change, error::Error, parse, tasks::COMMIT_TRIES};

impl Agents {
    /// Sets the status; answers the task without history and artifacts, so that
    /// the cost of a move does not grow with the task.
    pub async fn set_status(
        &self,
        call: &Call,
        command: StatusCommand,
        request: TransitionRequest,
    ) -> Result<(Task, u64), Error> {
        parse::request_metadata(request.metadata.as_ref())?;
        let expected = parse::revision("expectedRevision", request.expected_revision)?;
        for _ in 0..COMMIT_TRIES {
            let head = self.head(&request.id).await?;
            expect_revision(&head.lifecycle(), expected)?;
            let decided = set_status(&head.lifecycle(), command, clock::unix_ms())?;
            let message = self.status_message(&head, request.status_message.clone())?;
            let lease = self.lease(&request.lease_token);
            let metadata = request.metadata.clone();
            let change = status_change(&head, &decided, message, metadata, call.stored_trace(), lease);
            match self.tasks.store.set_status(&change).await? {
                Commit::Applied => {
                    let task = Task { status: Some(change.status.clone()), ..head.to_task() };
                    return Ok((task, decided.revision));
                }
                Commit::Gone => return Err(Error::NotFound),
                Commit::Fenced => return Err(Error::LeaseLost),
                Commit::Conflict | Commit::Full => {}
            }
        }
        Err(Error::Contended)
    }

    fn status_message(&self, head: &TaskHead, message: Option<Message>) -> Result<Option<Message>, Error> {
        let new_id = || random::uuid().to_string();
        let max_parts = self.tasks.policy.max_parts;
        message
            .map(|message| {
                parse::agent_message("statusMessage", message, &head.id, &head.context, new_id, max_parts)
            })
            .transpose()
    }
}
