//! A Redis, a receiver of webhooks, tasks, and a dispatcher in this process.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

pub mod dns;
pub mod process;
pub mod receiver;
pub mod redis;
pub mod replica;
pub mod tasks;

use std::time::Duration;

/// Far longer than anything takes that works.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// `future`, unless it hangs.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("nothing happened for too long")
}
