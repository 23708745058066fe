//! What a stream of work sends, and what it makes of news of the tasks that it
//! holds.

use std::time::Duration;

use a2a_lifecycle::State;
use a2a_proto::{
    a2a::stream_response::Payload,
    agent::{HeldLease, Lease, WorkItem, WorkKind, WorkRequest},
};
use a2a_runtime::clock;
use a2a_store::{ChangeKind, Handed, Parts};

use super::{
    held::Held,
    receive::{Receiver, Trouble},
};
use crate::{error::Error, hub::Live};

impl Receiver {
    /// Takes up the leases that the worker kept from an earlier stream.
    pub(super) async fn resume(&mut self, held: &[HeldLease]) -> Result<(), Error> {
        for HeldLease { id, lease_token, received_revision } in held {
            let Ok(head) = self.agents.head(id).await else { continue };
            let peeked = self.agents.tasks.store.peek_work(&head.tenant, id, lease_token).await?;
            let Ok((remaining, sent)) = peeked else { continue };
            let received = received_revision.and_then(|revision| u64::try_from(revision).ok());
            let held = Held {
                tenant: head.tenant,
                token: lease_token.clone(),
                // At least 1: a holder that starts over would be a new delivery.
                sent: received.map_or(sent, |received| received.clamp(1, sent.max(1))),
                since: head.revision,
                until: clock::instant() + remaining,
                deliveries: 0,
            };
            self.leases.insert(id.clone(), held);
        }
        Ok(())
    }

    /// Sends a task that was just leased, with all that its client asked.
    pub(super) async fn hand_over(&mut self, task: String, tenant: &str, token: &str) -> Result<(), Trouble> {
        let held = Held {
            tenant: tenant.to_owned(),
            token: token.to_owned(),
            sent: 0,
            since: 0,
            until: self.lease_end(),
            deliveries: 0,
        };
        self.leases.insert(task.clone(), held);
        self.send_requests(&task).await
    }

    /// Sends the requests of a held task that were not sent yet. A lease with
    /// nothing to send is dropped.
    pub(super) async fn send_requests(&mut self, task: &str) -> Result<(), Trouble> {
        loop {
            match self.next_request(task).await? {
                Handed::Request { deliveries, .. } if deliveries > self.agents.terms.max_deliveries => {
                    return self.give_up(task, deliveries).await;
                }
                Handed::Request { revision, request, deliveries } => {
                    self.send_request(task, revision, *request, deliveries).await?;
                }
                Handed::Idle if self.leases.get(task).is_some_and(|held| held.sent > 0) => return Ok(()),
                Handed::Idle | Handed::Lost => {
                    self.leases.remove(task);
                    return Ok(());
                }
            }
        }
    }

    /// Heeds a change of a task that is held.
    pub(super) async fn heed_held(&mut self, change: &Live) -> Result<(), Trouble> {
        let until = self.lease_end();
        let Some(held) = self.leases.affected(&change.task, change.revision) else { return Ok(()) };
        match (change.kind, entered(change)) {
            (ChangeKind::TaskMessageReceived, _) => self.send_requests(&change.task).await,
            (_, Some(State::Canceled)) => self.send_cancel(change).await,
            (ChangeKind::MessageReplied, _) => {
                self.leases.remove(&change.task);
                Ok(())
            }
            (_, Some(state)) if state.ends_turn() => {
                self.leases.remove(&change.task);
                Ok(())
            }
            _ => {
                held.until = until;
                Ok(())
            }
        }
    }

    /// Forgets the leases that have ended without a word.
    pub(super) async fn drop_ended(&mut self) -> Result<(), Trouble> {
        let now = clock::instant();
        for task in self.leases.overdue(now) {
            let Some(held) = self.leases.get(&task).cloned() else { continue };
            match self.agents.tasks.store.peek_work(&held.tenant, &task, &held.token).await? {
                Ok((remaining, _)) => self.leases.insert(task, Held { until: now + remaining, ..held }),
                Err(_) => {
                    tracing::info!(task, "a lease ended without a word from its worker");
                    self.leases.remove(&task);
                }
            }
        }
        Ok(())
    }

    async fn send_request(
        &mut self,
        task: &str,
        revision: u64,
        request: WorkRequest,
        deliveries: i32,
    ) -> Result<(), Trouble> {
        let Some(view) = self.agents.tasks.store.read(task, Parts::ALL).await? else {
            self.leases.remove(task);
            return Ok(());
        };
        let Some(mut held) = self.leases.get(task).cloned() else { return Ok(()) };
        if held.sent == 0 {
            (held.since, held.deliveries) = (view.head.revision, deliveries);
        }
        held.sent = revision;
        held.until = self.lease_end();
        let item = WorkItem {
            kind: if revision == 1 { WorkKind::NewTask } else { WorkKind::FollowUp }.into(),
            task: Some(view.into_task(None)),
            request: Some(request),
            lease: Some(self.agents.fresh_lease(&held.token)),
            revision: i64::try_from(revision).unwrap_or(i64::MAX),
            delivery: held.deliveries,
        };
        self.leases.insert(task.to_owned(), held);
        self.send(item).await
    }

    /// Fails a task whose workers all died. A race for it is harmless: the lease
    /// ends, and the next holder tries again.
    async fn give_up(&mut self, task: &str, deliveries: i32) -> Result<(), Trouble> {
        let Some(held) = self.leases.remove(task) else { return Ok(()) };
        let workers = deliveries - 1;
        let reason = format!("given up: {workers} workers took the task and none finished its turn");
        tracing::warn!(task, workers, "a task is failed: its workers died");
        match self.agents.fail_abandoned(task, held.token, reason).await {
            Err(Error::Fault(fault)) => Err(Trouble::Fault(fault)),
            _ => Ok(()),
        }
    }

    async fn send_cancel(&mut self, change: &Live) -> Result<(), Trouble> {
        let Some(held) = self.leases.remove(&change.task) else { return Ok(()) };
        let view = self.agents.tasks.store.read(&change.task, Parts::ALL).await?;
        let metadata = match change.response.as_ref().and_then(|response| response.payload.as_ref()) {
            Some(Payload::StatusUpdate(update)) => update.metadata.clone(),
            _ => None,
        };
        self.send(WorkItem {
            kind: WorkKind::Cancel.into(),
            task: view.map(|view| view.into_task(None)),
            request: Some(WorkRequest { metadata, tenant: held.tenant, ..WorkRequest::default() }),
            lease: Some(Lease { token: held.token, ..Lease::default() }),
            revision: i64::try_from(change.revision).unwrap_or(i64::MAX),
            delivery: held.deliveries,
        })
        .await
    }

    async fn send(&self, item: WorkItem) -> Result<(), Trouble> {
        self.out.send(Ok(item)).await.map_err(|_| Trouble::HungUp)
    }

    fn lease_end(&self) -> std::time::Instant {
        clock::instant() + Duration::from_millis(self.agents.terms.lease_ms)
    }
}

fn entered(change: &Live) -> Option<State> {
    match change.response.as_ref()?.payload.as_ref()? {
        Payload::StatusUpdate(update) => State::from_number(update.status.as_ref()?.state),
        _ => None,
    }
}
