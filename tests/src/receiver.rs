//! A webhook receiver inside the test: it records every request and answers as told.

mod behaviour;
mod journal;
mod serve;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{net::TcpListener, task::AbortHandle};

pub use self::{
    behaviour::{Behaviour, Gate},
    journal::Recorded,
};
use self::{
    journal::{Entries, Journal},
    serve::Shared,
};
use crate::ports;

/// Listens on a loopback port until dropped.
#[derive(Debug)]
pub struct WebhookReceiver {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

impl WebhookReceiver {
    /// Starts one whose paths all behave like this, unless told otherwise by `on`.
    pub async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", ports::free())).await.expect("listen on a free port");
        let addr = listener.local_addr().expect("the address of a listener");
        let shared = Arc::new(Shared {
            journal: Journal::new(),
            connections: AtomicUsize::new(0),
            default: Mutex::new(behaviour),
            paths: Mutex::default(),
        });
        let accepting = tokio::spawn(serve::accept(listener, Arc::clone(&shared))).abort_handle();
        Self { addr, shared, accepting }
    }

    /// From now on, `path` behaves like this.
    pub fn on(&self, path: &str, behaviour: Behaviour) {
        let mut paths = self.shared.paths.lock();
        paths.retain(|(known, _)| known != path);
        paths.push((path.to_owned(), behaviour));
    }

    /// From now on, every path without a behaviour of its own behaves like this.
    pub fn otherwise(&self, behaviour: Behaviour) {
        *self.shared.default.lock() = behaviour;
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The address of `path`, which starts with a slash. The last part of the
    /// path names the config in a [`Ledger`](crate::ledger::Ledger).
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// All requests so far, in the order in which they arrived.
    #[must_use]
    pub fn recorded(&self) -> Vec<Recorded> {
        self.shared.journal.recorded()
    }

    /// How long ago it started: the clock of [`Recorded::at`].
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.shared.journal.since_start()
    }

    /// How many connections were opened so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were in progress at once.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.shared.journal.most_at_once("")
    }

    /// The same for one path.
    #[must_use]
    pub fn most_at_once_on(&self, path: &str) -> usize {
        self.shared.journal.most_at_once(path)
    }

    /// Waits until `count` requests have arrived.
    pub async fn await_count(&self, count: usize, deadline: Duration) -> Vec<Recorded> {
        let enough = |entries: &Entries| entries.recorded.len() >= count;
        self.wait_until(&format!("{count} requests"), deadline, enough).await
    }

    /// Waits until `count` different events (by `webhook-id`) were accepted.
    pub async fn await_events(&self, count: usize, deadline: Duration) -> Vec<Recorded> {
        let enough = |entries: &Entries| entries.accepted.len() >= count;
        self.wait_until(&format!("{count} accepted events"), deadline, enough).await
    }

    /// Waits until the requests so far satisfy `enough`; `what` names it in a failure.
    pub async fn await_until(
        &self,
        what: &str,
        deadline: Duration,
        enough: impl Fn(&[Recorded]) -> bool,
    ) -> Vec<Recorded> {
        self.wait_until(what, deadline, |entries| enough(&entries.recorded)).await
    }

    async fn wait_until(
        &self,
        what: &str,
        deadline: Duration,
        enough: impl Fn(&Entries) -> bool,
    ) -> Vec<Recorded> {
        self.shared.journal.wait_until(what, deadline, enough).await;
        self.recorded()
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[cfg(test)]
mod tests;
