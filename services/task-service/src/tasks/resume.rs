//! Going on after a revision that the caller has seen, without a snapshot.

use a2a_store::{LogRead, TaskHead};

use super::{TaskStream, Tasks, Until};
use crate::{error::Error, hub::Subscription};

/// How a subscription begins.
pub(super) enum Resumption {
    /// With what follows the revision that the caller named.
    Resumed(Box<TaskStream>),
    /// With a snapshot: no revision was named, or the log no longer reaches it.
    Snapshot(Subscription),
}

impl Tasks {
    /// A task that has ended can be resumed as long as something is left to
    /// send: a caller that lost the end of its stream gets it.
    pub(super) async fn resume(
        &self,
        after: Option<u64>,
        head: &TaskHead,
        subscription: Subscription,
    ) -> Result<Resumption, Error> {
        let Some(after) = after else { return Ok(Resumption::Snapshot(subscription)) };
        // A stream ends with the task, whatever comes later.
        let ended = head.state.is_terminal() && after >= head.status_revision;
        let nothing_left = ended || after > head.revision;
        if nothing_left || !self.log_reaches(head, after).await? {
            return Ok(Resumption::Snapshot(subscription));
        }
        subscription.catch_up();
        let follow = self.follow(subscription, after, None);
        let stream = TaskStream::new(None, follow, Until::Terminal).resumed();
        Ok(Resumption::Resumed(Box::new(stream)))
    }

    async fn log_reaches(&self, head: &TaskHead, after: u64) -> Result<bool, Error> {
        match self.store.log_after(&head.id, after).await? {
            LogRead::Gap => Ok(false),
            LogRead::Entries(entries) => Ok(!entries.is_empty() || after == head.revision),
        }
    }
}
