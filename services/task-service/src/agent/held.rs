//! The leases that one stream of work holds.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// A lease as the stream that handed it out knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) tenant: String,
    pub(super) token: String,
    /// The revision of the last request sent.
    pub(super) sent: u64,
    /// The task's revision when the lease began: what happened before it is no
    /// news of this lease.
    pub(super) since: u64,
    /// When the lease ends, as far as is known here.
    pub(super) until: Instant,
    pub(super) deliveries: i32,
}

/// The leases of a stream, at most so many.
#[derive(Debug)]
pub(super) struct Leases {
    held: HashMap<String, Held>,
    most: usize,
}

impl Leases {
    pub(super) fn new(most: usize) -> Self {
        Self { held: HashMap::new(), most }
    }

    /// How many more may be held.
    pub(super) fn free(&self) -> usize {
        self.most.saturating_sub(self.held.len())
    }

    pub(super) fn insert(&mut self, task: String, held: Held) {
        self.held.insert(task, held);
    }

    pub(super) fn get(&self, task: &str) -> Option<&Held> {
        self.held.get(task)
    }

    /// The lease of a task, if a change at `revision` is news of it.
    pub(super) fn affected(&mut self, task: &str, revision: u64) -> Option<&mut Held> {
        self.held.get_mut(task).filter(|held| revision > held.since)
    }

    pub(super) fn remove(&mut self, task: &str) -> Option<Held> {
        self.held.remove(task)
    }

    /// The leases that should have ended by `now`.
    pub(super) fn overdue(&self, now: Instant) -> Vec<String> {
        let overdue = self.held.iter().filter(|(_, held)| held.until <= now);
        overdue.map(|(task, _)| task.clone()).collect()
    }

    /// The time until the first lease ends.
    pub(super) fn first_end(&self, now: Instant) -> Option<Duration> {
        self.held.values().map(|held| held.until.saturating_duration_since(now)).min()
    }

    /// Every task held.
    pub(super) fn tasks(&self) -> Vec<String> {
        self.held.keys().cloned().collect()
    }
}
