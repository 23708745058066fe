//! CancelTask.

use a2a_lifecycle::transition::{StatusCommand, set_status};
use a2a_proto::a2a::{CancelTaskRequest, Task};
use a2a_runtime::clock;
use a2a_store::{Commit, LeaseTerm, Parts};

use super::{COMMIT_TRIES, Tasks};
use crate::{call::Call, change::status_change, error::Error, parse};

/// A client holds no lease.
const NO_LEASE: LeaseTerm<'static> = LeaseTerm { token: "", lease_ms: 0 };

impl Tasks {
    /// Ends a live task as canceled.
    pub async fn cancel(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        self.admit(call, &request.tenant)?;
        parse::task_id("id", &request.id)?;
        parse::request_metadata(request.metadata.as_ref(), self.policy.bounds)?;
        for _ in 0..COMMIT_TRIES {
            let head = self.visible(&request.tenant, &request.id).await?;
            let decided = set_status(&head.lifecycle(), StatusCommand::Cancel, clock::unix_ms())?;
            let metadata = request.metadata.clone();
            let change = status_change(&head, &decided, None, metadata, call.stored_trace(), NO_LEASE);
            match self.store.set_status(&change).await? {
                Commit::Applied => {
                    let view = self.store.read(&head.id, Parts::ALL).await?.ok_or(Error::NotFound)?;
                    return Ok(view.into_task(None));
                }
                Commit::Gone => return Err(Error::NotFound),
                Commit::Conflict | Commit::Fenced | Commit::Full => {}
            }
        }
        Err(Error::Contended)
    }
}
