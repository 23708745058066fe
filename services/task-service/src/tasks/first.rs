//! The first word of an agent that may answer without a task.

use std::time::Duration;

use a2a_proto::a2a::{Message, StreamResponse, stream_response::Payload};
use a2a_runtime::{clock, random};
use a2a_store::{Commit, Parts, TaskHead};

use super::{COMMIT_TRIES, Tasks};
use crate::{
    call::Call,
    error::Error,
    follow::{Follow, Item},
};

/// What became of a message.
pub(super) enum FirstWord {
    /// The agent answered with a message.
    Message(Box<Message>),
    /// It became a task, which stood so when it was first seen.
    Task(Box<Item>),
}

impl Tasks {
    /// Waits until the agent has answered, or made a task of the message by any
    /// move. Past `patience` it becomes a task in any case.
    pub(super) async fn first_word(
        &self,
        call: &Call,
        task: &str,
        follow: &mut Follow,
        patience: Option<Duration>,
    ) -> Result<FirstWord, Error> {
        let heard = match patience {
            None => Some(hear(follow).await?),
            Some(patience) => tokio::time::timeout(patience, hear(follow)).await.ok().transpose()?,
        };
        if let Some(word) = heard {
            return Ok(word);
        }
        if let Some(head) = self.store.head(task).await? {
            self.promote(head, &call.stored_trace(), "").await?;
        }
        // What was being read when the patience ended is lost.
        follow.look_again();
        hear(follow).await
    }

    /// Makes a provisional task one that clients see, in the name of nobody or
    /// of the holder of a lease.
    pub(crate) async fn promote(&self, head: TaskHead, trace: &str, lease_token: &str) -> Result<(), Error> {
        let (id, change_id) = (head.id, random::uuid().to_string());
        for _ in 0..COMMIT_TRIES {
            let Some(view) = self.store.read(&id, Parts::ALL).await? else { return Ok(()) };
            let head = view.head.clone();
            let response = StreamResponse { payload: Some(Payload::Task(view.into_task(None))) };
            let at_ms = clock::unix_ms();
            match self.store.promote(&head, &change_id, at_ms, &response, trace, lease_token).await? {
                Commit::Conflict => {}
                Commit::Fenced => return Err(Error::LeaseLost),
                _ => return Ok(()),
            }
        }
        Err(Error::Contended)
    }
}

async fn hear(follow: &mut Follow) -> Result<FirstWord, Error> {
    loop {
        let item = follow.next().await?;
        match &item.response.payload {
            Some(Payload::Message(message)) => return Ok(FirstWord::Message(Box::new(message.clone()))),
            Some(Payload::Task(_)) => return Ok(FirstWord::Task(Box::new(item))),
            _ => {}
        }
    }
}
