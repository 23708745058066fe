//! ReplyWithMessage: an answer in place of a task.

use a2a_lifecycle::Refusal;
use a2a_proto::{
    a2a::{StreamResponse, stream_response::Payload},
    agent::ReplyWithMessageRequest,
};
use a2a_runtime::random;
use a2a_store::{Commit, Reply};

use super::Agents;
use crate::{call::Call, error::Error, parse};

impl Agents {
    /// Answers the caller with a message. A task that clients see already stays
    /// one, and the reply is refused with its state.
    pub async fn reply_with_message(
        &self,
        call: &Call,
        request: ReplyWithMessageRequest,
    ) -> Result<(), Error> {
        parse::task_id("id", &request.id)?;
        let message = request.message.ok_or_else(|| Error::invalid("message", "is required"))?;
        let (bounds, new_id) = (self.tasks.policy.bounds, || random::uuid().to_string());
        let message = parse::agent_message("message", message, &request.id, new_id, bounds)?;
        let head = match self.head(&request.id).await {
            Err(Error::NotFound) => return self.was_replied_to(&request.id).await,
            head => head?,
        };
        let mut message = parse::in_context("message", message, &head.context)?;
        // A server's message names a task only if there is one.
        message.task_id.clear();
        let reply = Reply {
            id: random::uuid().to_string(),
            head: &head,
            response: StreamResponse { payload: Some(Payload::Message(message)) },
            trace: call.stored_trace(),
            lease: self.lease(&request.lease_token),
            keep_ms: self.tasks.policy.idempotency_ms,
        };
        match self.tasks.store.reply(&reply).await? {
            Commit::Applied => self.give_back(&head.tenant).await,
            Commit::Gone => self.was_replied_to(&head.id).await,
            Commit::Fenced => Err(Error::LeaseLost),
            Commit::Conflict | Commit::Full => Err(Refusal::StateConflict { state: head.state }.into()),
        }
    }

    /// A reply that was given already needs no other.
    async fn was_replied_to(&self, id: &str) -> Result<(), Error> {
        self.tasks.store.direct_reply(id).await?.map(|_| ()).ok_or(Error::NotFound)
    }

    /// What was reserved for a task is free again.
    async fn give_back(&self, tenant: &str) -> Result<(), Error> {
        if self.tasks.policy.max_tasks_per_tenant > 0 {
            self.tasks.store.release_task(tenant).await?;
        }
        Ok(())
    }
}
