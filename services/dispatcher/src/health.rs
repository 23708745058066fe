//! How Redis fares: readiness, the pause before another try, and a log that does not flood.

use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_runtime::clock;
use a2a_runtime::readiness::Component;
use a2a_store::Fault;
use parking_lot::Mutex;
use tracing::{info, warn};

const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_CAP: Duration = Duration::from_secs(2);
const LOG_EVERY: Duration = Duration::from_secs(1);

/// Shared by all loops; clones are the same.
#[derive(Clone, Debug)]
pub struct RedisHealth {
    component: Component,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// `None` until the first answer.
    answers: Option<bool>,
    logged_at: Option<Instant>,
    /// Faults since the last line that told of any.
    untold: u64,
}

/// The pauses of one loop: each twice the one before, until something works.
#[derive(Debug)]
pub struct Pauses {
    next: Duration,
}

impl RedisHealth {
    pub fn new(component: Component) -> Self {
        let state = State { answers: None, logged_at: None, untold: 0 };
        Self { component, state: Arc::new(Mutex::new(state)) }
    }

    pub fn works(&self) {
        let before = self.state.lock().answers.replace(true);
        if before != Some(true) {
            self.component.set(true);
            info!("redis answers");
        }
    }

    pub fn fails(&self, what: &'static str, fault: &Fault) {
        self.component.set(false);
        if let Some(untold) = self.state.lock().note_fault(clock::instant()) {
            warn!(what, untold, error = %fault.chain(), "redis does not serve; trying again");
        }
    }
}

impl State {
    /// How many went untold, when it is time for a line.
    fn note_fault(&mut self, now: Instant) -> Option<u64> {
        self.answers = Some(false);
        if self.logged_at.is_some_and(|at| now.duration_since(at) < LOG_EVERY) {
            self.untold += 1;
            return None;
        }
        self.logged_at = Some(now);
        Some(std::mem::take(&mut self.untold))
    }
}

impl Default for Pauses {
    fn default() -> Self {
        Self { next: PAUSE_FIRST }
    }
}

impl Pauses {
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// The pause before the next try.
    pub fn advance(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(PAUSE_CAP);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_cap_and_start_over() {
        let mut pauses = Pauses::default();
        let ms: Vec<_> = (0..8).map(|_| pauses.advance().as_millis()).collect();
        assert_eq!(ms, [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
        pauses.reset();
        assert_eq!(pauses.advance(), PAUSE_FIRST);
    }

    #[test]
    fn one_line_a_second_tells_of_the_rest() {
        let mut state = State { answers: None, logged_at: None, untold: 0 };
        let start = clock::instant();
        let told: Vec<_> = [0, 10, 999, 1_000, 1_001, 2_500]
            .map(|ms| state.note_fault(start + Duration::from_millis(ms)))
            .to_vec();
        assert_eq!(told, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
