//! What this replica knows of each origin: attempts under way, their pace, and the breaker.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_lifecycle::egress::Origin;
use a2a_runtime::clock;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::breaker::{Admission, Breaker, BreakerLimits};
use super::queue::Queue;
use super::{Busy, Visit, WAIT_CAP, WAIT_HERE, Wait};

/// An origin that was not used for so long is forgotten.
const REMEMBERED: Duration = Duration::from_secs(600);
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Clones share what is known.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    per_origin: u32,
    breaker: BreakerLimits,
    known: Arc<Mutex<Known>>,
}

#[derive(Debug)]
struct Known {
    loads: HashMap<Origin, Load>,
    swept_at: Instant,
}

#[derive(Debug)]
struct Load {
    places: Arc<Semaphore>,
    queue: Queue,
    breaker: Breaker,
    /// Lanes that wait for a place here.
    waiting: u32,
    /// Whether the last attempt that ended was answered well.
    proven: bool,
    used_at: Instant,
}

/// What an admitted attempt is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) probe: bool,
    pub(super) proven: bool,
}

impl Origins {
    pub(super) fn new(per_origin: u32, breaker: BreakerLimits) -> Self {
        let known = Known { loads: HashMap::new(), swept_at: clock::instant() };
        Self { per_origin, breaker, known: Arc::new(Mutex::new(known)) }
    }

    /// What the origin's breaker says.
    pub(super) fn admit(&self, origin: &Origin, now: Instant) -> Result<Entry, Wait> {
        let mut known = self.known.lock();
        known.sweep(now, self.per_origin as usize);
        let fresh = || Load::new(self.per_origin, now);
        let load = known.loads.entry(origin.clone()).or_insert_with(fresh);
        load.used_at = now;
        match load.breaker.admit(&self.breaker, now) {
            Admission::Pass => Ok(Entry { probe: false, proven: load.proven }),
            Admission::Probe => Ok(Entry { probe: true, proven: load.proven }),
            Admission::Refused { until } => {
                let most = WAIT_CAP.max(self.breaker.open_cap);
                Err(Wait::new(Busy::BreakerOpen, load.queue.turn(until, now, most)))
            }
        }
    }

    /// A place at an origin that was admitted to. Waits here only where that is short.
    pub(super) async fn place(&self, origin: &Origin) -> Result<OwnedSemaphorePermit, Wait> {
        let places = match self.place_or_line(origin, clock::instant())? {
            Ok(place) => return Ok(place),
            Err(places) => places,
        };
        let waited = tokio::time::timeout(WAIT_HERE * 2, places.acquire_owned()).await;
        let mut known = self.known.lock();
        let load = known.loads.get_mut(origin);
        match (waited, load) {
            (Ok(Ok(place)), load) => {
                load.into_iter().for_each(|load| load.waiting -= 1);
                Ok(place)
            }
            (_, Some(load)) => {
                load.waiting -= 1;
                Err(load.turned_away(clock::instant()))
            }
            (_, None) => Err(Wait::new(Busy::OriginFull, WAIT_HERE)),
        }
    }

    /// A place, or that for which the caller waits in line.
    fn place_or_line(
        &self,
        origin: &Origin,
        now: Instant,
    ) -> Result<Result<OwnedSemaphorePermit, Arc<Semaphore>>, Wait> {
        let mut known = self.known.lock();
        let Some(load) = known.loads.get_mut(origin) else {
            return Err(Wait::new(Busy::OriginFull, WAIT_HERE));
        };
        if load.places.available_permits() == self.per_origin as usize {
            load.queue.started(now);
        }
        if let Ok(place) = load.places.clone().try_acquire_owned() {
            return Ok(Ok(place));
        }
        if load.queue.pace(now) * (load.waiting + 1) > WAIT_HERE {
            return Err(load.turned_away(now));
        }
        load.waiting += 1;
        Ok(Err(load.places.clone()))
    }

    pub(super) fn left(&self, visit: &Visit, now: Instant) {
        let mut known = self.known.lock();
        let Some(load) = known.loads.get_mut(&visit.origin) else { return };
        if let Some(healthy) = visit.healthy {
            load.proven = healthy;
            load.queue.freed(now.saturating_duration_since(visit.since), now);
        }
        match visit.healthy {
            Some(true) => load.breaker.succeeded(),
            Some(false) => load.breaker.failed(&self.breaker, visit.probe, now),
            None if visit.probe => load.breaker.probe_dropped(now),
            None => {}
        }
    }

    pub(super) fn broken(&self) -> usize {
        self.known.lock().loads.values().filter(|load| !load.breaker.is_closed()).count()
    }
}

impl Known {
    fn sweep(&mut self, now: Instant, places: usize) {
        if now.saturating_duration_since(self.swept_at) < SWEEP_EVERY {
            return;
        }
        self.swept_at = now;
        self.loads.retain(|_, load| {
            let busy = load.waiting > 0 || load.places.available_permits() < places;
            busy || now.saturating_duration_since(load.used_at) < REMEMBERED
        });
    }
}

impl Load {
    fn new(places: u32, now: Instant) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places as usize)),
            queue: Queue::new(places, now),
            breaker: Breaker::default(),
            waiting: 0,
            proven: false,
            used_at: now,
        }
    }

    fn turned_away(&mut self, now: Instant) -> Wait {
        Wait::new(Busy::OriginFull, self.queue.turn(now, now, WAIT_CAP))
    }
}
