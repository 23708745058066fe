//! How many attempts run at one origin at once: a slow receiver must not take every slot.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use a2a_lifecycle::egress::Origin;
use parking_lot::Mutex;

const WAIT_FIRST: Duration = Duration::from_millis(25);
const WAIT_CAP: Duration = Duration::from_secs(5);

/// The origins with attempts under way; clones share them.
#[derive(Clone, Debug)]
pub struct Origins {
    most_per_origin: u32,
    busy: Arc<Mutex<HashMap<Origin, Load>>>,
}

/// A place at an origin, given back when dropped.
#[derive(Debug)]
pub struct Place {
    origin: Origin,
    busy: Arc<Mutex<HashMap<Origin, Load>>>,
}

/// The origin has as many attempts under way as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturated {
    /// After which to ask again, before jitter.
    pub wait: Duration,
}

#[derive(Debug, Default)]
struct Load {
    attempts: u32,
    /// Lanes turned away, halved by each that got a place: an estimate of the queue.
    refused: u32,
}

impl Origins {
    pub fn new(most_per_origin: u32) -> Self {
        Self { most_per_origin, busy: Arc::default() }
    }

    /// A place at `origin`, unless it is full.
    pub fn enter(&self, origin: &Origin) -> Result<Place, Saturated> {
        let mut busy = self.busy.lock();
        let load = busy.entry(origin.clone()).or_default();
        if load.attempts >= self.most_per_origin {
            load.refused = load.refused.saturating_add(1);
            return Err(Saturated { wait: self.wait(load.refused) });
        }
        load.attempts += 1;
        load.refused /= 2;
        Ok(Place { origin: origin.clone(), busy: self.busy.clone() })
    }

    /// Origins with attempts under way.
    pub fn busy(&self) -> usize {
        self.busy.lock().len()
    }

    /// The longer the queue, the less often each lane in it asks.
    fn wait(&self, refused: u32) -> Duration {
        (WAIT_FIRST * (1 + refused / self.most_per_origin.max(1))).min(WAIT_CAP)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut busy = self.busy.lock();
        if let Entry::Occupied(mut load) = busy.entry(self.origin.clone()) {
            load.get_mut().attempts -= 1;
            if load.get().attempts == 0 {
                load.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use a2a_lifecycle::egress::EgressPolicy;

    use super::*;

    fn origin(url: &str) -> Origin {
        EgressPolicy::default().check_url(url).unwrap().origin
    }

    #[test]
    fn an_origin_takes_as_many_as_it_may() {
        let origins = Origins::new(2);
        let (a, b) = (origin("https://a.example/x"), origin("https://b.example/"));
        let first = origins.enter(&a).unwrap();
        let _second = origins.enter(&origin("https://a.example:443/y")).unwrap();
        assert!(origins.enter(&a).is_err());
        assert!(origins.enter(&b).is_ok());
        drop(first);
        assert!(origins.enter(&a).is_ok());
    }

    #[test]
    fn idle_origins_are_forgotten() {
        let origins = Origins::new(1);
        let place = origins.enter(&origin("https://a.example/")).unwrap();
        assert_eq!(origins.busy(), 1);
        drop(place);
        assert_eq!(origins.busy(), 0);
    }

    #[test]
    fn a_long_queue_asks_less_often() {
        let origins = Origins::new(2);
        let a = origin("https://a.example/");
        let _places = [origins.enter(&a).unwrap(), origins.enter(&a).unwrap()];
        let waits: Vec<_> = (0..2_000).map(|_| origins.enter(&a).unwrap_err().wait).collect();
        assert_eq!(waits[0], WAIT_FIRST);
        assert!(waits.is_sorted());
        assert_eq!(waits.last(), Some(&WAIT_CAP));
    }
}
