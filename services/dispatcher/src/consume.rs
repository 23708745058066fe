//! From the change streams to due lanes.

use std::sync::Arc;

use a2a_runtime::random;
use a2a_store::Fault;
use a2a_store::group::{Batch, Member};
use futures::future::join_all;

use crate::dispatcher::Dispatcher;
use crate::health::Pauses;
use crate::scheduler;

/// Reads changes and makes the lanes of their tasks due, until the process is stopping. A read is never cut
/// short: it takes at most the group's own block time.
pub async fn run(dispatcher: Arc<Dispatcher>) {
    let mut member = dispatcher.store.join_group(&dispatcher.limits.worker_name);
    let mut pauses = Pauses::default();
    let mut joined = false;
    while !dispatcher.shutdown.is_stopping() {
        match step(&dispatcher, &mut member, &mut joined).await {
            Ok(()) => {
                dispatcher.health.works();
                pauses.reset();
            }
            Err(fault) => {
                dispatcher.health.fails("read changes", &fault);
                joined = joined && !fault.is_missing_group();
                dispatcher.pause(pauses.advance()).await;
            }
        }
    }
}

/// Makes the batch's lanes due, and starts them or wakes who claims them.
pub(crate) async fn fan_out(dispatcher: &Arc<Dispatcher>, batch: &Batch) {
    // Lanes that were idle start right here; those that find no slot wait for a claim.
    let slots = scheduler::free_slots_now(dispatcher);
    let (most, token) = (slots.len(), random::uuid().to_string());
    let lease_ms = dispatcher.limits.lease_ms;
    let operation = || dispatcher.store.fan_out_and_claim(batch, most, lease_ms, &token);
    match dispatcher.persist("fan out", operation).await {
        Ok((woken, lanes)) => {
            dispatcher.metrics.fanned_out(batch.len());
            let left = woken > lanes.len() as u64;
            for (lane, slot) in lanes.into_iter().zip(slots) {
                scheduler::start(dispatcher, lane, &token, slot);
            }
            if left {
                dispatcher.wake(batch.shard);
            }
        }
        // The entries stay with this consumer until somebody takes them over.
        Err(fault) => dispatcher.health.fails("fan out", &fault),
    }
}

async fn step(dispatcher: &Arc<Dispatcher>, member: &mut Member, joined: &mut bool) -> Result<(), Fault> {
    if !*joined {
        dispatcher.store.ensure_group().await?;
        *joined = true;
    }
    let batches = member.next().await?;
    join_all(batches.iter().map(|batch| fan_out(dispatcher, batch))).await;
    Ok(())
}
