//! The moves of a task, and news of its progress.

use a2a_lifecycle::{
    Move,
    transition::{StatusCommand, set_status},
};
use a2a_proto::{
    a2a::{Message, Part, Task, part::Content},
    agent::TransitionRequest,
};
use a2a_runtime::{clock, random};
use a2a_store::Commit;

use super::Agents;
use crate::{call::Call, change::status_change, error::Error, parse, tasks::COMMIT_TRIES};

/// The field that holds what the agent says.
const STATUS_MESSAGE: &str = "statusMessage";

impl Agents {
    /// Sets the status; answers the task without history and artifacts, so that
    /// the cost of a move does not grow with the task.
    pub async fn set_status(
        &self,
        call: &Call,
        command: StatusCommand,
        request: TransitionRequest,
    ) -> Result<(Task, u64), Error> {
        parse::task_id("id", &request.id)?;
        parse::request_metadata(request.metadata.as_ref(), self.tasks.policy.bounds)?;
        let mut expected = parse::revision("expectedRevision", request.expected_revision)?;
        let said = self.status_message(&request)?;
        for _ in 0..COMMIT_TRIES {
            let head = self.head_at(&request.id, expected).await?;
            let decided = set_status(&head.lifecycle(), command, clock::unix_ms())?;
            let message = said
                .clone()
                .map(|said| parse::in_context(STATUS_MESSAGE, said, &head.context))
                .transpose()?;
            if head.provisional {
                self.tasks.promote(head, &call.stored_trace(), &request.lease_token).await?;
                expected = expected.map(|revision| revision + 1);
                continue;
            }
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

    /// Fails a task for a reason of the service's own.
    pub(super) async fn fail_abandoned(&self, id: &str, token: String, reason: String) -> Result<(), Error> {
        let part = Part { content: Some(Content::Text(reason)), ..Part::default() };
        let request = TransitionRequest {
            id: id.to_owned(),
            status_message: Some(Message { parts: vec![part], ..Message::default() }),
            lease_token: token,
            ..TransitionRequest::default()
        };
        let fail = StatusCommand::Transition { step: Move::Fail, cancelable: None };
        self.set_status(&Call::default(), fail, request).await.map(|_| ())
    }

    fn status_message(&self, request: &TransitionRequest) -> Result<Option<Message>, Error> {
        let new_id = || random::uuid().to_string();
        let bounds = self.tasks.policy.bounds;
        let message = request.status_message.clone();
        message
            .map(|message| parse::agent_message(STATUS_MESSAGE, message, &request.id, new_id, bounds))
            .transpose()
    }
}
