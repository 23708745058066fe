//! What each replica does for the group from time to time.

use std::sync::Arc;
use std::time::Duration;

use a2a_runtime::random;

use crate::consume::fan_out;
use crate::dispatcher::Dispatcher;

const TAKE_OVER_EVERY: Duration = Duration::from_secs(3);
const TRIM_EVERY: Duration = Duration::from_secs(30);
const FORGET_EVERY: Duration = Duration::from_secs(600);
/// A live replica reads several times a second.
const SILENT_FOR: Duration = Duration::from_secs(3_600);

/// Takes over the changes that dead replicas have read and not fanned out.
pub async fn take_over(dispatcher: Arc<Dispatcher>) {
    while dispatcher.pause(jittered(TAKE_OVER_EVERY)).await {
        for shard in dispatcher.store.keyspace().shards() {
            match dispatcher.store.take_over(shard, &dispatcher.limits.worker_name).await {
                Ok(batch) if batch.is_empty() => {}
                Ok(batch) => {
                    dispatcher.metrics.taken_over(batch.len());
                    fan_out(&dispatcher, &batch).await;
                }
                // The reader of the streams creates it.
                Err(fault) if fault.is_missing_group() => {}
                Err(fault) => {
                    dispatcher.health.fails("take over changes", &fault);
                    break;
                }
            }
        }
    }
}

/// Drops changes that nobody needs any more.
pub async fn trim(dispatcher: Arc<Dispatcher>) {
    let keep = dispatcher.limits.change_retention;
    while dispatcher.pause(jittered(TRIM_EVERY)).await {
        for shard in dispatcher.store.keyspace().shards() {
            match dispatcher.store.trim_changes(shard, keep).await {
                Ok(dropped) => tracing::debug!(%shard, dropped, "changes trimmed"),
                Err(fault) => {
                    dispatcher.health.fails("trim changes", &fault);
                    break;
                }
            }
        }
    }
}

/// Forgets the replicas of the past.
pub async fn forget(dispatcher: Arc<Dispatcher>) {
    while dispatcher.pause(jittered(FORGET_EVERY)).await {
        for shard in dispatcher.store.keyspace().shards() {
            match dispatcher.store.forget_members(shard, SILENT_FOR).await {
                Ok(forgotten) => tracing::debug!(%shard, forgotten, "members forgotten"),
                Err(fault) if fault.is_missing_group() => {}
                Err(fault) => {
                    dispatcher.health.fails("forget members", &fault);
                    break;
                }
            }
        }
    }
}

/// Half to one and a half times as long: replicas that start together do not stay together.
fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(0.5 + random::unit())
}
