//! What the loops of one replica share, and their order of starting and ending.

use std::sync::Arc;
use std::time::Duration;

use a2a_lifecycle::delivery::RetryPolicy;
use a2a_runtime::clock;
use a2a_runtime::shutdown::Shutdown;
use a2a_store::keys::Shard;
use a2a_store::{Fault, StartError, Store};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::gate::{Gate, GateLimits};
use crate::health::{Pauses, RedisHealth};
use crate::metrics::Metrics;
use crate::webhook::Webhooks;
use crate::{consume, scheduler, upkeep};

/// Lanes under way beyond those that make attempts: full budgets must not keep a replica from finding the lanes
/// that it has room for.
const LANES_SPARE: u32 = 64;

/// How much one replica does at once, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Nobody else's.
    pub worker_name: String,
    pub lease_ms: u64,
    pub gate: GateLimits,
    /// Deaths during an event after which it is given up.
    pub poison_deaths: u32,
    /// Events in a row, given up for want of attempts or time, after which a webhook is held; 0 for never.
    pub disable_after_exhausted: u32,
    /// In a shard.
    pub max_dead_letters: u64,
    pub change_retention: Duration,
    pub drain: Duration,
}

/// One replica.
pub struct Dispatcher {
    pub(crate) store: Store,
    pub(crate) webhooks: Webhooks,
    pub(crate) retry: RetryPolicy,
    pub(crate) limits: Limits,
    pub(crate) gate: Gate,
    /// One is held by each lane under way, also while it makes no attempt.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) metrics: Metrics,
    pub(crate) health: RedisHealth,
    pub(crate) shutdown: Shutdown,
    /// Ends the attempts that the drain could not wait for.
    pub(crate) interrupt: CancellationToken,
    pub(crate) lanes: TaskTracker,
    wakes: Vec<Notify>,
}

impl Dispatcher {
    pub fn new(
        store: Store,
        webhooks: Webhooks,
        retry: RetryPolicy,
        limits: Limits,
        metrics: Metrics,
        health: RedisHealth,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            wakes: store.keyspace().shards().map(|_| Notify::new()).collect(),
            gate: Gate::new(limits.gate),
            slots: Arc::new(Semaphore::new((limits.gate.attempts + LANES_SPARE) as usize)),
            interrupt: CancellationToken::new(),
            lanes: TaskTracker::new(),
            store,
            webhooks,
            retry,
            limits,
            metrics,
            health,
            shutdown,
        }
    }

    /// Runs until the shutdown, and then until every lane has ended or was put back.
    pub async fn run(self: Arc<Self>) -> Result<(), StartError> {
        if !self.verify().await? {
            return Ok(());
        }
        let mut loops = JoinSet::new();
        loops.spawn(consume::run(self.clone()));
        loops.spawn(upkeep::take_over(self.clone()));
        loops.spawn(upkeep::trim(self.clone()));
        loops.spawn(upkeep::forget(self.clone()));
        for shard in self.store.keyspace().shards() {
            loops.spawn(scheduler::run(self.clone(), shard));
        }
        self.shutdown.stopping().await;
        tokio::join!(loops.join_all(), self.drain());
        Ok(())
    }

    /// There may be something to claim in `shard`.
    pub(crate) fn wake(&self, shard: Shard) {
        if let Some(wake) = self.wakes.get(shard.index()) {
            wake.notify_one();
        }
    }

    pub(crate) async fn woken(&self, shard: Shard) {
        match self.wakes.get(shard.index()) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Waits for `delay`, or less when the process is stopping; answers whether to go on.
    pub(crate) async fn pause(&self, delay: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.shutdown.stopping() => false,
            () = clock::pause(delay) => true,
        }
    }

    /// Carries out what must not be lost, again and again while Redis is away. Nothing when that is in vain,
    /// or when the process is stopping: the lease then runs out.
    pub(crate) async fn persist<T, F>(
        &self,
        what: &'static str,
        operation: impl Fn() -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        let mut pauses = Pauses::default();
        loop {
            match operation().await {
                Ok(done) => {
                    self.health.works();
                    return Ok(done);
                }
                Err(fault) if fault.is_transient() => {
                    self.health.fails(what, &fault);
                    if !self.pause(pauses.advance()).await {
                        return Err(fault);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Whether this Redis can be used; false when stopped before it answered.
    async fn verify(&self) -> Result<bool, StartError> {
        let mut pauses = Pauses::default();
        loop {
            match self.store.verify().await {
                Ok(()) => return Ok(true),
                Err(StartError::Fault(fault)) if fault.is_transient() => {
                    self.health.fails("start", &fault);
                }
                Err(error) => return Err(error),
            }
            if !self.pause(pauses.advance()).await {
                return Ok(false);
            }
        }
    }

    /// Attempts get four fifths of the drain; the rest is for putting back those that did not end.
    async fn drain(&self) {
        self.lanes.close();
        tokio::select! {
            () = self.lanes.wait() => return,
            () = clock::pause(self.limits.drain * 4 / 5) => self.interrupt.cancel(),
        }
        self.lanes.wait().await;
    }
}
