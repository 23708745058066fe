//! From due lanes to lanes under way, one loop a shard.

use std::sync::Arc;
use std::time::Duration;

use a2a_runtime::random;
use a2a_store::Fault;
use a2a_store::delivery::Lease;
use a2a_store::keys::{PushLane, Shard};
use tokio::sync::OwnedSemaphorePermit;

use crate::dispatcher::Dispatcher;
use crate::health::Pauses;
use crate::lane;

/// The longest that a shard goes unasked: what others put back is heard of by asking only.
pub(crate) const ASK_EVERY: Duration = Duration::from_secs(1);
/// Most lanes of one claim, so that one shard does not take all slots at once.
const CLAIM_MOST: usize = 32;

/// Claims the due lanes of `shard` and starts them, until the process is stopping.
pub async fn run(dispatcher: Arc<Dispatcher>, shard: Shard) {
    let mut pauses = Pauses::default();
    let mut wait = Duration::ZERO;
    while waited(&dispatcher, shard, wait).await {
        wait = match claim(&dispatcher, shard).await {
            Ok(next) => {
                dispatcher.health.works();
                pauses.reset();
                next
            }
            Err(fault) => {
                dispatcher.health.fails("claim lanes", &fault);
                dispatcher.pause(pauses.advance()).await;
                Duration::ZERO
            }
        };
    }
}

/// Waits until something may be due; answers whether to go on.
async fn waited(dispatcher: &Dispatcher, shard: Shard, wait: Duration) -> bool {
    if wait.is_zero() {
        return !dispatcher.shutdown.is_stopping();
    }
    tokio::select! {
        going_on = dispatcher.pause(wait) => going_on,
        () = dispatcher.woken(shard) => !dispatcher.shutdown.is_stopping(),
    }
}

/// Claims no more than can start now; answers for how long nothing is due.
async fn claim(dispatcher: &Arc<Dispatcher>, shard: Shard) -> Result<Duration, Fault> {
    let Some(slots) = free_slots(dispatcher).await else { return Ok(ASK_EVERY) };
    let (most, token) = (slots.len(), random::uuid().to_string());
    let claimed = dispatcher.store.claim_lanes(shard, most, dispatcher.limits.lease_ms, &token).await?;
    let full = claimed.lanes.len() >= most;
    for (lane, slot) in claimed.lanes.into_iter().zip(slots) {
        start(dispatcher, lane, &token, slot);
    }
    let next = claimed.next_due.unwrap_or(ASK_EVERY).min(ASK_EVERY);
    Ok(if full { Duration::ZERO } else { next })
}

/// At least one, once there is one; none when the process is stopping.
async fn free_slots(dispatcher: &Dispatcher) -> Option<Vec<OwnedSemaphorePermit>> {
    let first = tokio::select! {
        biased;
        () = dispatcher.shutdown.stopping() => return None,
        slot = dispatcher.slots.clone().acquire_owned() => slot.ok()?,
    };
    Some(std::iter::once(first).chain(free_slots_now(dispatcher)).take(CLAIM_MOST).collect())
}

/// Those that are free, if any.
pub(crate) fn free_slots_now(dispatcher: &Dispatcher) -> Vec<OwnedSemaphorePermit> {
    let free = std::iter::from_fn(|| dispatcher.slots.clone().try_acquire_owned().ok());
    free.take(CLAIM_MOST).collect()
}

pub(crate) fn start(dispatcher: &Arc<Dispatcher>, lane: PushLane, token: &str, slot: OwnedSemaphorePermit) {
    let lease = Lease { lane, token: token.to_owned(), lease_ms: dispatcher.limits.lease_ms };
    let dispatcher = dispatcher.clone();
    dispatcher.lanes.clone().spawn(async move { lane::walk(&dispatcher, &lease, slot).await });
}
