use std::collections::HashMap;

use a2a_proto::agent::{WorkItem, WorkKind, agent_service_client::AgentServiceClient};
use futures::future::join_all;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tonic::{Code, Status, transport::Channel};
use tracing::{info, warn};

use super::{Asked, Script, commands::Held};

/// The tasks being worked on. All of them end when it is dropped.
#[derive(Debug)]
pub(super) struct Jobs {
    script: Script,
    running: JoinSet<Result<(), Status>>,
    held: HashMap<String, Job>,
}

#[derive(Debug)]
struct Job {
    held: Held,
    abort: AbortHandle,
}

impl Jobs {
    pub(super) fn new(script: Script) -> Self {
        Self { script, running: JoinSet::new(), held: HashMap::new() }
    }

    /// Begins, begins anew or drops the work that an item is about.
    pub(super) fn take(&mut self, client: AgentServiceClient<Channel>, item: WorkItem) {
        let kind = item.kind();
        let task = item.task.unwrap_or_default();
        // A further message changes what is asked of a task already at work.
        if let Some(job) = self.held.remove(&task.id) {
            job.abort.abort();
        }
        info!(task = task.id, kind = kind.as_str_name(), delivery = item.delivery, "received");
        if matches!(kind, WorkKind::Cancel | WorkKind::Unspecified) {
            return;
        }
        let message = item.request.unwrap_or_default().message.unwrap_or_default();
        let state = task.status.unwrap_or_default().state();
        let lease_token = item.lease.unwrap_or_default().token;
        let held = Held { client, task_id: task.id, lease_token };
        let steps = (self.script)(&Asked { kind, state, message: &message });
        let abort = self.running.spawn(held.clone().follow(steps));
        self.held.insert(held.task_id.clone(), Job { held, abort });
    }

    /// Waits for a job to end; for ever while there is none.
    pub(super) async fn settle(&mut self) {
        match self.running.join_next_with_id().await {
            Some(Ok((id, outcome))) => self.settled(id, outcome).await,
            // Aborted: its place was cleared or given to another job then.
            Some(Err(error)) => self.forget(&error),
            None => std::future::pending().await,
        }
    }

    /// Drops all work and hands it back.
    pub(super) async fn release(mut self) {
        self.running.shutdown().await;
        join_all(self.held.into_values().map(|job| give_back(job.held))).await;
    }

    async fn settled(&mut self, id: Id, outcome: Result<(), Status>) {
        let Some(job) = self.remove(id) else { return };
        let Err(status) = outcome else {
            info!(task = job.held.task_id, "done");
            return;
        };
        warn!(task = job.held.task_id, code = ?status.code(), message = status.message(), "gave up");
        // Anything else is for good: the task was canceled, or the lease is another's.
        if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled) {
            give_back(job.held).await;
        }
    }

    fn forget(&mut self, error: &JoinError) {
        if let Some(job) = self.remove(error.id()) {
            warn!(task = job.held.task_id, %error, "a job broke");
        }
    }

    fn remove(&mut self, id: Id) -> Option<Job> {
        let task_id =
            self.held.iter().find(|(_, job)| job.abort.id() == id).map(|(task_id, _)| task_id.clone())?;
        self.held.remove(&task_id)
    }
}

async fn give_back(held: Held) {
    let task_id = held.task_id.clone();
    match held.release().await {
        Ok(()) => info!(task = task_id, "released"),
        // The lease runs out by itself then.
        Err(status) => warn!(task = task_id, code = ?status.code(), "not released"),
    }
}
