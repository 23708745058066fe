use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use a2a_proto::a2a::{StreamResponse, stream_response::Payload};
use bytes::Bytes;
use http::{HeaderMap, Method};
use parking_lot::Mutex;
use tokio::{sync::watch, time::timeout};

/// A request as it arrived, and what became of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Since the receiver started.
    pub at: Duration,
    /// Which connection it came on, counted from 0.
    pub connection: usize,
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The body as the protocol's type; an error says why it is none.
    pub event: Result<StreamResponse, String>,
    /// The status that was answered, once it was.
    pub answered: Option<u16>,
}

impl Recorded {
    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Stable over the retries of one event.
    #[must_use]
    pub fn webhook_id(&self) -> &str {
        self.header("webhook-id").unwrap_or_default()
    }

    /// The task's revision that the event stands for.
    #[must_use]
    pub fn sequence(&self) -> Option<i64> {
        self.header("a2a-event-sequence")?.parse().ok()
    }

    /// The task that the event is about.
    #[must_use]
    pub fn task_id(&self) -> &str {
        match self.event.as_ref().ok().and_then(|event| event.payload.as_ref()) {
            Some(Payload::Task(task)) => &task.id,
            Some(Payload::Message(message)) => &message.task_id,
            Some(Payload::StatusUpdate(update)) => &update.task_id,
            Some(Payload::ArtifactUpdate(update)) => &update.task_id,
            None => "",
        }
    }

    /// Whether it was answered with a 2xx.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.answered.is_some_and(|status| (200..300).contains(&status))
    }
}

/// All requests in the order in which they arrived.
#[derive(Debug)]
pub(super) struct Journal {
    started: Instant,
    entries: Mutex<Entries>,
    changes: watch::Sender<u64>,
    concurrency: Mutex<HashMap<String, Concurrency>>,
}

#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) recorded: Vec<Recorded>,
    /// The `webhook-id` of every event that was answered with a 2xx.
    pub(super) accepted: HashSet<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Concurrency {
    now: usize,
    most: usize,
}

/// A request in progress; dropped with it, also when the client goes away.
#[derive(Debug)]
pub(super) struct InProgress<'a> {
    journal: &'a Journal,
    path: String,
}

impl Journal {
    pub(super) fn new() -> Self {
        Self {
            #[allow(clippy::disallowed_methods, reason = "the moment from which arrivals are counted")]
            started: Instant::now(),
            entries: Mutex::default(),
            changes: watch::Sender::new(0),
            concurrency: Mutex::default(),
        }
    }

    pub(super) fn since_start(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the place at which the answer is noted later.
    pub(super) fn record(&self, request: Recorded) -> usize {
        let mut entries = self.entries.lock();
        entries.recorded.push(request);
        let place = entries.recorded.len() - 1;
        drop(entries);
        self.changes.send_modify(|count| *count += 1);
        place
    }

    pub(super) fn answered(&self, place: usize, status: u16) {
        let Entries { recorded, accepted } = &mut *self.entries.lock();
        recorded[place].answered = Some(status);
        if recorded[place].succeeded() {
            accepted.insert(recorded[place].webhook_id().to_owned());
        }
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn recorded(&self) -> Vec<Recorded> {
        self.entries.lock().recorded.clone()
    }

    pub(super) async fn wait_until(&self, what: &str, deadline: Duration, enough: impl Fn(&Entries) -> bool) {
        let mut changes = self.changes.subscribe();
        let waited = async {
            while !enough(&self.entries.lock()) {
                changes.changed().await.expect("this very value holds the sender");
            }
        };
        if timeout(deadline, waited).await.is_err() {
            panic!("{what}: not within {deadline:?}, after {}", self.summary())
        }
    }

    pub(super) fn begin(&self, path: &str) -> InProgress<'_> {
        let mut concurrency = self.concurrency.lock();
        for key in ["", path] {
            let entry = concurrency.entry(key.to_owned()).or_default();
            entry.now += 1;
            entry.most = entry.most.max(entry.now);
        }
        InProgress { journal: self, path: path.to_owned() }
    }

    /// Of all paths for the empty one.
    pub(super) fn most_at_once(&self, path: &str) -> usize {
        self.concurrency.lock().get(path).map_or(0, |entry| entry.most)
    }

    fn summary(&self) -> String {
        let Entries { recorded, accepted } = &*self.entries.lock();
        let successes = recorded.iter().filter(|request| request.succeeded()).count();
        format!("{} requests, {successes} successes, {} events", recorded.len(), accepted.len())
    }
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        let mut concurrency = self.journal.concurrency.lock();
        for key in ["", self.path.as_str()] {
            concurrency.entry(key.to_owned()).or_default().now -= 1;
        }
    }
}
