//! What agent workers may ask: work to do, and the moves that only they may
//! make.

mod artifact;
mod hand_over;
mod held;
mod lease;
mod receive;
mod reply;
mod transition;
mod views;

use a2a_lifecycle::transition::expect_revision;
use a2a_store::{LeaseTerm, TaskHead};

use crate::{error::Error, tasks::Tasks};

/// The service behind the agents' door. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    tasks: Tasks,
    terms: Terms,
}

/// The terms on which work is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How long a worker that says nothing keeps its work, ms.
    pub lease_ms: u64,
    /// Most tasks that one stream holds at once.
    pub max_leases: usize,
    /// Times a task is handed out before it is failed.
    pub max_deliveries: i32,
}

impl Agents {
    /// The service over that of the clients.
    #[must_use]
    pub fn new(tasks: Tasks, terms: Terms) -> Self {
        Self { tasks, terms }
    }

    /// Agents see the tasks of every tenant.
    async fn head(&self, id: &str) -> Result<TaskHead, Error> {
        crate::parse::task_id("id", id)?;
        self.tasks.store.head(id).await?.ok_or(Error::NotFound)
    }

    /// The task as a worker's command finds it: at the revision that it expects.
    async fn head_at(&self, id: &str, expected: Option<u64>) -> Result<TaskHead, Error> {
        let head = self.head(id).await?;
        expect_revision(&head.lifecycle(), expected)?;
        Ok(head)
    }

    fn lease<'a>(&self, token: &'a str) -> LeaseTerm<'a> {
        LeaseTerm { token, lease_ms: self.terms.lease_ms }
    }
}
