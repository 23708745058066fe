//! Live changes, handed from one tail of the change streams to every stream and
//! wait of this replica.
//!
//! A slow reader never delays another: its queue is bounded, and when it
//! overflows the reader is told to catch up from the task's log.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use a2a_proto::a2a::StreamResponse;
use a2a_store::{Change, ChangeKind};
use parking_lot::Mutex;
use tokio::sync::{broadcast, mpsc};

/// Changes that a reader may lag behind before it must catch up from the log.
const QUEUE: usize = 64;
/// Changes that a worker's stream may lag behind before it looks at everything.
const WORK_QUEUE: usize = 1_024;

/// One change, decoded once for all readers.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    /// What happened.
    pub kind: ChangeKind,
    /// To which task.
    pub task: String,
    /// Of which tenant.
    pub tenant: String,
    /// The task's revision after it.
    pub revision: u64,
    /// What a subscriber sees; nothing when the change is silent.
    pub response: Option<StreamResponse>,
}

/// What reaches a reader.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A change.
    Change(Arc<Live>),
    /// Changes may have been missed: look at the log.
    CatchUp,
}

/// The readers of this replica.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

/// A reader of one task's changes. Dropping it ends it.
pub struct Subscription {
    task: String,
    number: u64,
    queue: mpsc::Receiver<Arc<Live>>,
    behind: Arc<Behind>,
    hub: Hub,
}

struct Inner {
    readers: Mutex<HashMap<String, Vec<Reader>>>,
    work: broadcast::Sender<Arc<Live>>,
    numbers: AtomicU64,
}

struct Reader {
    number: u64,
    queue: mpsc::Sender<Arc<Live>>,
    behind: Arc<Behind>,
}

#[derive(Default)]
struct Behind {
    flag: AtomicBool,
    wake: tokio::sync::Notify,
}

impl Hub {
    /// A hub without readers.
    #[must_use]
    pub fn new() -> Self {
        let (work, _) = broadcast::channel(WORK_QUEUE);
        Self { inner: Arc::new(Inner { readers: Mutex::default(), work, numbers: AtomicU64::new(0) }) }
    }

    /// A reader of what happens to a task from now on.
    #[must_use]
    pub fn subscribe(&self, task: &str) -> Subscription {
        let (sender, queue) = mpsc::channel(QUEUE);
        let number = self.inner.numbers.fetch_add(1, Ordering::Relaxed);
        let behind = Arc::new(Behind::default());
        let reader = Reader { number, queue: sender, behind: Arc::clone(&behind) };
        self.inner.readers.lock().entry(task.to_owned()).or_default().push(reader);
        Subscription { task: task.to_owned(), number, queue, behind, hub: self.clone() }
    }

    /// What matters to workers, of every task, from now on.
    #[must_use]
    pub fn work(&self) -> broadcast::Receiver<Arc<Live>> {
        self.inner.work.subscribe()
    }

    /// Hands a change to its readers.
    pub fn publish(&self, change: Change) {
        if !change.kind.is_of_the_task() {
            return;
        }
        let response = change.response().unwrap_or_else(|error| {
            tracing::error!(%error, task = change.task, "a change cannot be read");
            None
        });
        let Change { kind, task, tenant, revision, .. } = change;
        let live = Arc::new(Live { kind, task, tenant, revision, response });
        if let Some(readers) = self.inner.readers.lock().get(&live.task) {
            readers.iter().for_each(|reader| reader.offer(&live));
        }
        if kind != ChangeKind::TaskArtifactUpdated {
            // Nobody works through this replica when nobody receives.
            let _ = self.inner.work.send(live);
        }
    }

    /// Tells every reader that changes may have been missed.
    pub fn catch_up(&self) {
        self.inner.readers.lock().values().flatten().for_each(|reader| reader.behind.set());
    }
}

impl Default for Hub {
    fn default() -> Self {
        Self::new()
    }
}

impl Subscription {
    /// The task.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }

    /// Makes the reader look at the log first.
    pub fn catch_up(&self) {
        self.behind.set();
    }

    /// What happens next.
    pub async fn next(&mut self) -> Signal {
        loop {
            if self.behind.take() {
                // What is queued is in the log as well.
                while self.queue.try_recv().is_ok() {}
                return Signal::CatchUp;
            }
            tokio::select! {
                biased;
                () = self.behind.wake.notified() => {}
                change = self.queue.recv() => match change {
                    Some(change) => return Signal::Change(change),
                    None => return Signal::CatchUp,
                },
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut readers = self.hub.inner.readers.lock();
        if let Some(of_task) = readers.get_mut(&self.task) {
            of_task.retain(|reader| reader.number != self.number);
            if of_task.is_empty() {
                readers.remove(&self.task);
            }
        }
    }
}

impl Reader {
    fn offer(&self, live: &Arc<Live>) {
        if self.queue.try_send(Arc::clone(live)).is_err() {
            self.behind.set();
        }
    }
}

impl Behind {
    fn set(&self) {
        self.flag.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    fn take(&self) -> bool {
        self.flag.swap(false, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn change(task: &str, revision: u64) -> Change {
        Change {
            kind: ChangeKind::TaskStatusUpdated,
            task: task.into(),
            tenant: String::new(),
            revision,
            payload: Bytes::new(),
            trace: String::new(),
        }
    }

    #[tokio::test]
    async fn a_reader_sees_its_task_only() {
        let hub = Hub::new();
        let mut reader = hub.subscribe("a");
        hub.publish(change("b", 1));
        hub.publish(change("a", 2));
        assert!(matches!(reader.next().await, Signal::Change(live) if live.revision == 2));
    }

    #[tokio::test]
    async fn a_slow_reader_is_told_to_catch_up_and_delays_nobody() {
        let hub = Hub::new();
        let (mut slow, mut quick) = (hub.subscribe("a"), hub.subscribe("a"));
        for revision in 0..=QUEUE as u64 {
            hub.publish(change("a", revision));
            assert!(matches!(quick.next().await, Signal::Change(live) if live.revision == revision));
        }
        assert!(matches!(slow.next().await, Signal::CatchUp));
        hub.publish(change("a", 100));
        assert!(matches!(slow.next().await, Signal::Change(live) if live.revision == 100));
    }

    #[tokio::test]
    async fn a_dropped_reader_leaves_nothing_behind() {
        let hub = Hub::new();
        drop(hub.subscribe("a"));
        assert!(hub.inner.readers.lock().is_empty());
    }
}
