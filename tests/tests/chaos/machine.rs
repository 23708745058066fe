//! Who else loads the machine: tests that measure latencies run alone.

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::const_new(());

/// Beside other tests.
pub(crate) async fn shared() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().await
}

/// With no other test of this binary.
pub(crate) async fn alone() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().await
}
