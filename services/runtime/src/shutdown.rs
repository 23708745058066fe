//! Stopping: the first SIGTERM or SIGINT begins the drain, a second one ends it.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::clock;

/// The status of a process that could not finish its drain.
pub const FORCED_EXIT_CODE: i32 = 1;

/// A handle on the process's end; clones share it.
#[derive(Clone, Debug)]
pub struct Shutdown {
    stopping: CancellationToken,
}

impl Shutdown {
    /// Listens for SIGTERM and SIGINT from now on. Needs a Tokio runtime.
    pub fn install() -> io::Result<Self> {
        let signals = Signals::install()?;
        let shutdown = Self::without_signals();
        tokio::spawn(listen(signals, shutdown.clone()));
        Ok(shutdown)
    }

    /// A handle that only [`trigger`](Self::trigger) stops.
    pub fn without_signals() -> Self {
        Self { stopping: CancellationToken::new() }
    }

    /// Begins the drain: a fatal error's way to stop the process in order.
    pub fn trigger(&self) {
        self.stopping.cancel();
    }

    /// Resolves when the drain begins.
    pub async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// For what takes a token of its own, or a child of it.
    pub fn token(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Resolves `drain` after the drain began.
    pub async fn deadline(&self, drain: Duration) {
        self.stopping().await;
        clock::pause(drain).await;
    }

    /// Ends the process, whatever it is doing, `drain` after the drain began.
    /// A process that drained in time has ended before.
    pub fn exit_after(&self, drain: Duration) {
        let shutdown = self.clone();
        tokio::spawn(async move {
            shutdown.deadline(drain).await;
            error!(drain_ms = drain.as_millis(), "drain time is over: exiting with work unfinished");
            std::process::exit(FORCED_EXIT_CODE);
        });
    }
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn install() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

async fn listen(mut signals: Signals, shutdown: Shutdown) {
    let signal = signals.next().await;
    info!(signal, "stopping: finishing the work in hand");
    shutdown.trigger();
    let signal = signals.next().await;
    error!(signal, "second signal: exiting with work unfinished");
    std::process::exit(FORCED_EXIT_CODE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_trigger_reaches_every_clone() {
        let shutdown = Shutdown::without_signals();
        let clone = shutdown.clone();
        let child = shutdown.token().child_token();
        assert!(!clone.is_stopping());

        shutdown.trigger();

        clone.stopping().await;
        child.cancelled().await;
        assert!(clone.is_stopping());
    }

    #[tokio::test]
    async fn the_deadline_counts_from_the_trigger() {
        let drain = Duration::from_millis(5);
        let shutdown = Shutdown::without_signals();
        assert!(tokio::time::timeout(2 * drain, shutdown.deadline(drain)).await.is_err());

        let start = clock::instant();
        shutdown.trigger();
        shutdown.deadline(drain).await;
        assert!(start.elapsed() >= drain);
    }
}
