//! A worker with a connection of its own.

use a2a_proto::{
    a2a::Task,
    agent::{Lease, ReceiveWorkRequest, TransitionRequest, WorkItem},
};
use a2a_tests::{
    clients::{self, AgentClient},
    process::TaskService,
};
use tonic::Streaming;

use crate::stage::next;

/// Shorter than any a deployment would choose: the least that the flag takes.
pub(super) const LEASE_MS: u64 = 500;

/// Dropping it closes its connection.
pub(super) struct Worker {
    pub(super) agent: AgentClient,
    pub(super) work: Streaming<WorkItem>,
}

impl Worker {
    pub(super) async fn start(service: &TaskService, max_leases: i32) -> Self {
        Self::start_with(service, ReceiveWorkRequest { max_leases, ..ReceiveWorkRequest::default() }).await
    }

    pub(super) async fn start_with(service: &TaskService, request: ReceiveWorkRequest) -> Self {
        let mut agent = clients::agent(service.at.agent_grpc).await;
        let work = agent.receive_work(request).await.expect("receive work").into_inner();
        Self { agent, work }
    }

    pub(super) async fn next(&mut self) -> WorkItem {
        next(&mut self.work).await
    }
}

pub(super) fn task(item: &WorkItem) -> &Task {
    item.task.as_ref().expect("a task")
}

pub(super) fn lease(item: &WorkItem) -> &Lease {
    item.lease.as_ref().expect("a lease")
}

/// A move under the lease of `item`.
pub(super) fn under_lease(item: &WorkItem) -> TransitionRequest {
    TransitionRequest {
        id: task(item).id.clone(),
        lease_token: lease(item).token.clone(),
        ..TransitionRequest::default()
    }
}

/// The text of the message that an item hands over.
pub(super) fn said(item: &WorkItem) -> &str {
    let message = item.request.as_ref().and_then(|request| request.message.as_ref()).expect("a message");
    crate::stage::text(&message.parts[0])
}
