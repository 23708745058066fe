//! Removes what has been kept long enough. Runs on every replica; a shard has one
//! janitor at a time.

use std::time::Duration;

use a2a_runtime::{clock, random, shutdown::Shutdown};
use a2a_store::{Fault, Store, keys::Shard};

/// How often each shard is looked at.
const ROUND: Duration = Duration::from_secs(10);

/// For how long things are kept; unset is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retention {
    /// Tasks, from their end.
    pub(crate) tasks: Option<Duration>,
    /// Dead letters.
    pub(crate) dead_letters: Option<Duration>,
}

/// Runs until the service stops.
pub(crate) async fn run(store: Store, retention: Retention, shutdown: Shutdown) {
    let who = random::uuid().to_string();
    let rounds = async {
        loop {
            for shard in store.keyspace().shards() {
                if let Err(fault) = sweep(&store, shard, &who, retention).await {
                    tracing::warn!(error = %fault.chain(), "what has expired cannot be removed; trying again");
                    break;
                }
            }
            clock::pause(ROUND).await;
        }
    };
    tokio::select! {
        () = shutdown.stopping() => {}
        () = rounds => {}
    }
}

async fn sweep(store: &Store, shard: Shard, who: &str, retention: Retention) -> Result<(), Fault> {
    // The watch is kept for most of a round, so that replicas take turns.
    if !store.watch_shard(shard, who, ROUND - ROUND / 5).await? {
        return Ok(());
    }
    if let Some(kept) = retention.dead_letters {
        store.expire_dead_letters(shard, before(kept)).await?;
    }
    let Some(kept) = retention.tasks else { return Ok(()) };
    while store.expire_tasks(shard, before(kept)).await?.more {}
    Ok(())
}

fn before(kept: Duration) -> i64 {
    clock::unix_ms().saturating_sub_unsigned(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX))
}
