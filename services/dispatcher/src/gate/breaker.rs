//! A circuit breaker: a receiver that only fails is left alone, but for one probe now and then.

use std::time::{Duration, Instant};

/// When a breaker opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerLimits {
    /// Failures in a row that open it; 0 never does.
    pub failures: u32,
    /// How long it is open at first; each failed probe doubles it, up to the cap.
    pub open: Duration,
    pub open_cap: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: State,
    /// In a row.
    failures: u32,
    /// Times that it opened in a row.
    trips: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Closed,
    Open {
        until: Instant,
    },
    /// One probe is under way.
    HalfOpen,
}

/// What a breaker says to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Pass,
    /// Let through alone: the breaker waits for what becomes of it.
    Probe,
    /// Not before then.
    Refused {
        until: Instant,
    },
}

impl Breaker {
    pub(super) fn admit(&mut self, limits: &BreakerLimits, now: Instant) -> Admission {
        match self.state {
            State::Closed => Admission::Pass,
            State::Open { until } if now < until => Admission::Refused { until },
            State::Open { .. } => {
                self.state = State::HalfOpen;
                Admission::Probe
            }
            State::HalfOpen => Admission::Refused { until: now + limits.open },
        }
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// While it is open, attempts that began before may still fail: they say nothing new.
    pub(super) fn failed(&mut self, limits: &BreakerLimits, probe: bool, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let closed = self.state == State::Closed;
        if probe || (closed && limits.failures > 0 && self.failures >= limits.failures) {
            let doubled = limits.open.saturating_mul(1 << self.trips.min(16));
            self.state = State::Open { until: now + doubled.min(limits.open_cap) };
            self.trips = self.trips.saturating_add(1);
        }
    }

    /// A probe that was not made, or says nothing: another one may be.
    pub(super) fn probe_dropped(&mut self, now: Instant) {
        if self.state == State::HalfOpen {
            self.state = State::Open { until: now };
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state == State::Closed
    }
}

#[cfg(test)]
mod tests {
    use a2a_runtime::clock;

    use super::*;

    const LIMITS: BreakerLimits =
        BreakerLimits { failures: 3, open: Duration::from_secs(1), open_cap: Duration::from_secs(5) };

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..3 {
            assert_eq!(breaker.admit(&LIMITS, now), Admission::Pass);
            breaker.failed(&LIMITS, false, now);
        }
        breaker
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_success_between_does_not() {
        let now = clock::instant();
        let mut breaker = Breaker::default();
        for _ in 0..10 {
            breaker.failed(&LIMITS, false, now);
            breaker.failed(&LIMITS, false, now);
            breaker.succeeded();
        }
        assert!(breaker.is_closed());
        let until = now + LIMITS.open;
        assert_eq!(opened(now).admit(&LIMITS, now), Admission::Refused { until });
    }

    #[test]
    fn one_probe_at_a_time_closes_it() {
        let now = clock::instant();
        let mut breaker = opened(now);
        let later = now + LIMITS.open;
        assert_eq!(breaker.admit(&LIMITS, later), Admission::Probe);
        assert!(matches!(breaker.admit(&LIMITS, later), Admission::Refused { .. }));
        breaker.probe_dropped(later);
        assert_eq!(breaker.admit(&LIMITS, later), Admission::Probe);
        breaker.succeeded();
        assert_eq!(breaker.admit(&LIMITS, later), Admission::Pass);
    }

    #[test]
    fn each_failed_probe_doubles_the_time_up_to_the_cap() {
        let mut now = clock::instant();
        let mut breaker = opened(now);
        let mut opens = Vec::new();
        for _ in 0..5 {
            let Admission::Refused { until } = breaker.admit(&LIMITS, now) else { panic!("it is open") };
            opens.push(until.duration_since(now).as_secs());
            now = until;
            assert_eq!(breaker.admit(&LIMITS, now), Admission::Probe);
            breaker.failed(&LIMITS, true, now);
        }
        assert_eq!(opens, [1, 2, 4, 5, 5]);
    }

    #[test]
    fn late_failures_do_not_prolong_it_and_zero_never_opens() {
        let now = clock::instant();
        let mut breaker = opened(now);
        breaker.failed(&LIMITS, false, now + LIMITS.open / 2);
        assert_eq!(breaker.admit(&LIMITS, now), Admission::Refused { until: now + LIMITS.open });
        let off = BreakerLimits { failures: 0, ..LIMITS };
        let mut breaker = Breaker::default();
        (0..100).for_each(|_| breaker.failed(&off, false, now));
        assert!(breaker.is_closed());
    }
}
