//! A look into Redis, for what no call shows.

use a2a_tests::{fingerprint::Fingerprint, redis::RedisServer};
use redis::AsyncCommands as _;

/// Everything in Redis but what the janitors of the replicas agree on among
/// themselves.
pub(crate) async fn fingerprint(redis: &RedisServer) -> Fingerprint {
    redis.fingerprint(&["a2a:*:janitor"]).await
}

/// The tasks that some worker holds, sorted.
pub(crate) async fn held_leases(redis: &RedisServer) -> Vec<String> {
    let mut connection = redis.client().await;
    let keys: Vec<String> = connection.keys("a2a:*:leases:work").await.expect("KEYS");
    let mut tasks = Vec::new();
    for key in keys {
        tasks.extend(connection.hkeys::<_, Vec<String>>(key).await.expect("HKEYS"));
    }
    tasks.sort_unstable();
    tasks
}

/// The clock by which leases end, ms since the epoch.
pub(crate) async fn now_ms(redis: &RedisServer) -> u64 {
    let mut connection = redis.client().await;
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query_async(&mut connection).await.expect("TIME");
    seconds * 1_000 + micros / 1_000
}

/// The keys whose names hold `text`, sorted.
pub(crate) async fn keys_with(redis: &RedisServer, text: &str) -> Vec<String> {
    let mut connection = redis.client().await;
    let mut keys: Vec<String> = connection.keys(format!("*{text}*")).await.expect("KEYS");
    keys.sort_unstable();
    keys
}
