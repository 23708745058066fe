//! ReceiveWork: a stream of leased work.
//!
//! One loop a stream. It claims tasks while it may hold more, sends what their
//! clients asked, and passes on what happens to the tasks that it holds: further
//! messages, and cancels. It learns of both from the live changes, and looks at
//! everything again when it may have missed some. A worker that hangs up keeps
//! its leases until they end: it may be about to come back.

use std::{sync::Arc, time::Duration};

use a2a_proto::agent::{ReceiveWorkRequest, WorkItem};
use a2a_runtime::{clock, random};
use a2a_store::{ChangeKind, Fault, Handed};
use tokio::sync::{broadcast::error::RecvError, mpsc};

use super::{Agents, held::Leases};
use crate::{error::Error, hub::Live, parse};

/// How often a stream looks for leases of others that have ended.
const LOOK: Duration = Duration::from_millis(1_000);
/// How long it waits after the store was away.
const BACK_OFF: Duration = Duration::from_millis(200);

/// The worker's end of a stream.
pub type WorkStream = mpsc::Receiver<Result<WorkItem, Error>>;

/// The service's end of a stream of work.
pub(super) struct Receiver {
    pub(super) agents: Agents,
    /// The tenants served; none for all.
    tenants: Option<Vec<String>>,
    pub(super) leases: Leases,
    pub(super) out: mpsc::Sender<Result<WorkItem, Error>>,
    /// Where the next look for work begins, so that no shard starves.
    next_shard: usize,
    /// Work was left behind because no more leases may be held.
    left_behind: bool,
}

/// The worker has hung up.
#[derive(Debug)]
pub(super) struct HungUp;

/// Why a stream stops working for a moment, or for good.
#[derive(Debug)]
pub(super) enum Trouble {
    HungUp,
    Fault(Fault),
}

impl Agents {
    /// Work as it comes, until the worker hangs up or the service stops.
    pub async fn receive_work(&self, request: ReceiveWorkRequest) -> Result<WorkStream, Error> {
        let most = match usize::try_from(request.max_leases) {
            Err(_) => return Err(Error::invalid("maxLeases", "must not be negative")),
            Ok(0) => self.terms.max_leases,
            Ok(most) => most.min(self.terms.max_leases),
        };
        for (index, held) in request.held.iter().enumerate() {
            parse::task_id(&format!("held[{index}].id"), &held.id)?;
        }
        let (out, stream) = mpsc::channel(most * 2);
        let mut receiver = Receiver {
            agents: self.clone(),
            tenants: (!request.tenants.is_empty()).then_some(request.tenants),
            leases: Leases::new(most),
            out,
            next_shard: 0,
            left_behind: false,
        };
        receiver.resume(&request.held).await?;
        tokio::spawn(receiver.run());
        Ok(stream)
    }
}

impl Receiver {
    async fn run(mut self) {
        let stopping = self.agents.tasks.stopping.clone();
        let out = self.out.clone();
        tokio::select! {
            () = stopping.cancelled() => { let _ = out.send(Err(Error::Stopping)).await; }
            () = out.closed() => {}
            _ = self.work() => {}
        }
    }

    /// Works until the worker hangs up. Trouble with the store passes.
    async fn work(&mut self) -> HungUp {
        let mut live = self.agents.tasks.hub.work();
        let mut outcome = self.look().await;
        loop {
            let next_look = match outcome {
                Ok(next_look) => next_look,
                Err(Trouble::HungUp) => return HungUp,
                Err(Trouble::Fault(fault)) => {
                    tracing::warn!(error = %fault.chain(), "work cannot be handed out");
                    BACK_OFF
                }
            };
            outcome = tokio::select! {
                () = clock::pause(next_look) => self.look().await,
                change = live.recv() => match change {
                    Ok(change) => self.heed(&change).await.map(|()| next_look),
                    Err(RecvError::Lagged(_)) => self.look().await,
                    Err(RecvError::Closed) => return HungUp,
                },
            };
        }
    }

    /// Looks at everything: leases that have ended, news of those held, and work
    /// that is due. Answers when to look again.
    async fn look(&mut self) -> Result<Duration, Trouble> {
        self.drop_ended().await?;
        for task in self.leases.tasks() {
            self.send_requests(&task).await?;
        }
        let next_due = self.claim_everywhere().await?;
        let first_end = self.leases.first_end(clock::instant());
        Ok([next_due, first_end].into_iter().flatten().fold(LOOK, Duration::min))
    }

    /// Heeds a change of some task.
    async fn heed(&mut self, change: &Arc<Live>) -> Result<(), Trouble> {
        if self.leases.get(&change.task).is_some() {
            self.heed_held(change).await?;
        } else if is_work(change.kind) && self.serves(&change.tenant) {
            self.claim_one(change).await?;
        }
        if self.left_behind && self.leases.free() > 0 {
            self.claim_everywhere().await?;
        }
        Ok(())
    }

    async fn claim_one(&mut self, change: &Live) -> Result<(), Trouble> {
        if self.leases.free() == 0 {
            self.left_behind = true;
            return Ok(());
        }
        let shard = self.agents.tasks.store.keyspace().shard_of(&change.task);
        self.claim(shard.index(), &change.tenant).await.map(|_| ())
    }

    /// Goes through all shards and tenants, as long as more may be held.
    async fn claim_everywhere(&mut self) -> Result<Option<Duration>, Trouble> {
        let shards = usize::from(self.agents.tasks.store.keyspace().shard_count());
        let mut next_due: Option<Duration> = None;
        self.left_behind = false;
        for _ in 0..shards {
            let shard = self.next_shard % shards;
            for tenant in self.tenants_of(shard).await? {
                if self.leases.free() == 0 {
                    self.left_behind = true;
                    return Ok(next_due);
                }
                let due = self.claim(shard, &tenant).await?;
                next_due = [next_due, due].into_iter().flatten().min();
            }
            self.next_shard = shard + 1;
        }
        Ok(next_due)
    }

    /// Claims what is due of a tenant in a shard and sends it.
    async fn claim(&mut self, shard: usize, tenant: &str) -> Result<Option<Duration>, Trouble> {
        let store = self.agents.tasks.store.clone();
        let Some(shard) = store.keyspace().shards().nth(shard) else { return Ok(None) };
        let token = random::uuid().to_string();
        let lease_ms = self.agents.terms.lease_ms;
        let claimed = store.claim_work(shard, tenant, self.leases.free(), lease_ms, &token).await?;
        for task in claimed.tasks {
            self.hand_over(task, tenant, &token).await?;
        }
        Ok(claimed.next_due)
    }

    async fn tenants_of(&self, shard: usize) -> Result<Vec<String>, Trouble> {
        match &self.tenants {
            Some(tenants) => Ok(tenants.clone()),
            None => {
                let store = &self.agents.tasks.store;
                let Some(shard) = store.keyspace().shards().nth(shard) else { return Ok(Vec::new()) };
                Ok(store.tenants(shard).await?)
            }
        }
    }

    fn serves(&self, tenant: &str) -> bool {
        self.tenants.as_ref().is_none_or(|tenants| tenants.iter().any(|served| served == tenant))
    }

    /// The next request of a held task after the last one sent.
    pub(super) async fn next_request(&self, task: &str) -> Result<Handed, Trouble> {
        let Some(held) = self.leases.get(task) else { return Ok(Handed::Lost) };
        let (store, lease_ms) = (&self.agents.tasks.store, self.agents.terms.lease_ms);
        Ok(store.next_request(&held.tenant, task, &held.token, lease_ms, held.sent).await?)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn is_work(kind: ChangeKind) -> bool {
    matches!(kind, ChangeKind::TaskCreated | ChangeKind::TaskProposed | ChangeKind::TaskMessageReceived)
}
