//! How many attempts of a kind run at once in this replica.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::queue::Queue;

/// Attempts of one kind; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    places: Arc<Semaphore>,
    queue: Arc<Mutex<Queue>>,
}

/// A place in a budget, given back when dropped.
#[derive(Debug)]
pub(super) struct Share {
    budget: Budget,
    since: Instant,
    _place: OwnedSemaphorePermit,
}

impl Budget {
    pub(super) fn new(most: u32, now: Instant) -> Self {
        Self {
            places: Arc::new(Semaphore::new(most as usize)),
            queue: Arc::new(Mutex::new(Queue::new(most, now))),
        }
    }

    /// A place, or the wait until there may be one.
    pub(super) fn take(&self, now: Instant, most: Duration) -> Result<Share, Duration> {
        match self.places.clone().try_acquire_owned() {
            Ok(place) => Ok(Share { budget: self.clone(), since: now, _place: place }),
            Err(_) => Err(self.queue.lock().turn(now, now, most)),
        }
    }
}

impl Share {
    pub(super) fn give_back(self, now: Instant) {
        self.budget.queue.lock().freed(now.saturating_duration_since(self.since), now);
    }
}
