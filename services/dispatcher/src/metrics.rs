//! What the dispatcher counts. No label names a tenant, a task or a url: their number has no bound.

use std::time::Duration;

use a2a_lifecycle::delivery::Outcome;
use a2a_runtime::metrics::Registration;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Unit;

use crate::gate::Busy;
use crate::reason::{Hold, Reason};

/// Clones share the counts.
#[derive(Clone, Debug)]
pub struct Metrics {
    attempts: Family<OutcomeLabel, Counter>,
    attempt_seconds: Histogram,
    lag_seconds: Histogram,
    delivered: Counter,
    parked: Family<ReasonLabel, Counter>,
    held: Family<ReasonLabel, Counter>,
    lanes_in_flight: Gauge,
    lost_leases: Counter,
    turned_away: Family<ReasonLabel, Counter>,
    fanned_out: Counter,
    taken_over: Counter,
}

/// A lane under way; no longer when dropped.
#[derive(Debug)]
pub struct LaneInFlight(Gauge);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            attempts: Family::default(),
            // 5 ms to 20 s, and 5 ms to 11 h.
            attempt_seconds: Histogram::new(exponential_buckets(0.005, 2.0, 13)),
            lag_seconds: Histogram::new(exponential_buckets(0.005, 3.0, 15)),
            delivered: Counter::default(),
            parked: Family::default(),
            held: Family::default(),
            lanes_in_flight: Gauge::default(),
            lost_leases: Counter::default(),
            turned_away: Family::default(),
            fanned_out: Counter::default(),
            taken_over: Counter::default(),
        }
    }
}

impl Metrics {
    pub fn register(&self, to: &mut Registration) {
        to.register("a2a_delivery_attempts", "Webhook attempts by outcome", self.attempts.clone());
        to.register_with_unit(
            "a2a_delivery_attempt",
            "Time of an attempt up to its status line or failure",
            Unit::Seconds,
            self.attempt_seconds.clone(),
        );
        to.register_with_unit(
            "a2a_delivery_lag",
            "Time from the change of a task to its acknowledgement by a webhook",
            Unit::Seconds,
            self.lag_seconds.clone(),
        );
        to.register("a2a_events_delivered", "Events that a webhook acknowledged", self.delivered.clone());
        to.register("a2a_events_parked", "Events that became dead letters", self.parked.clone());
        to.register("a2a_webhooks_held", "Webhooks disabled by the dispatcher", self.held.clone());
        to.register("a2a_lanes_in_flight", "Lanes under way", self.lanes_in_flight.clone());
        to.register("a2a_leases_lost", "Leases that ended before their holder", self.lost_leases.clone());
        to.register(
            "a2a_lanes_turned_away",
            "Lanes put back uncounted, there being no place for an attempt",
            self.turned_away.clone(),
        );
        to.register("a2a_changes_fanned_out", "Changes whose lanes were made due", self.fanned_out.clone());
        to.register("a2a_changes_taken_over", "Changes of dead replicas taken over", self.taken_over.clone());
    }

    pub fn lane(&self) -> LaneInFlight {
        self.lanes_in_flight.inc();
        LaneInFlight(self.lanes_in_flight.clone())
    }

    pub fn attempt(&self, outcome: &Outcome, duration: Duration) {
        self.attempts.get_or_create(&OutcomeLabel { outcome: outcome_label(outcome) }).inc();
        self.attempt_seconds.observe(duration.as_secs_f64());
    }

    /// `lag` is unknown for a task as it stood, which is no single change.
    pub fn delivered(&self, lag: Option<Duration>) {
        self.delivered.inc();
        if let Some(lag) = lag {
            self.lag_seconds.observe(lag.as_secs_f64());
        }
    }

    pub fn parked(&self, reason: Reason) {
        self.parked.get_or_create(&ReasonLabel { reason: reason.as_str() }).inc();
    }

    pub fn held(&self, hold: Hold) {
        self.held.get_or_create(&ReasonLabel { reason: hold.as_str() }).inc();
    }

    pub fn lost_lease(&self) {
        self.lost_leases.inc();
    }

    pub fn turned_away(&self, why: Busy) {
        self.turned_away.get_or_create(&ReasonLabel { reason: why.as_str() }).inc();
    }

    pub fn fanned_out(&self, entries: usize) {
        self.fanned_out.inc_by(entries as u64);
    }

    pub fn taken_over(&self, entries: usize) {
        self.taken_over.inc_by(entries as u64);
    }
}

impl Drop for LaneInFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The class of the status, or the failure.
pub fn outcome_label(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered { status: 200..=299, .. } => "2xx",
        Outcome::Answered { status: 300..=399, .. } => "3xx",
        Outcome::Answered { status: 400..=499, .. } => "4xx",
        Outcome::Answered { status: 500..=599, .. } => "5xx",
        Outcome::Answered { .. } => "other_status",
        Outcome::Failed(failure) => failure.as_str(),
        Outcome::Interrupted => "interrupted",
    }
}

#[cfg(test)]
mod tests {
    use a2a_lifecycle::delivery::{Failure, ParkReason};
    use a2a_runtime::metrics::Registry;

    use super::*;

    #[test]
    fn counts_are_shown_by_outcome_and_reason() {
        let metrics = Metrics::default();
        let registry = Registry::build("a2a-dispatcher", "1", |to| metrics.register(to));
        let answered = Outcome::Answered { status: 204, retry_after: None };
        metrics.attempt(&answered, Duration::from_millis(3));
        metrics.attempt(&Outcome::Failed(Failure::Tls), Duration::from_secs(1));
        metrics.parked(Reason::Policy(ParkReason::Rejected));
        metrics.parked(Reason::Poison);
        let lane = metrics.lane();

        let text = registry.encode().unwrap();
        for line in [
            r#"a2a_delivery_attempts_total{outcome="2xx"} 1"#,
            r#"a2a_delivery_attempts_total{outcome="tls"} 1"#,
            r#"a2a_events_parked_total{reason="rejected"} 1"#,
            r#"a2a_events_parked_total{reason="poison"} 1"#,
            "a2a_lanes_in_flight 1",
            "a2a_delivery_attempt_seconds_count 2",
        ] {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
        drop(lane);
        assert!(registry.encode().unwrap().contains("a2a_lanes_in_flight 0"));
    }
}
