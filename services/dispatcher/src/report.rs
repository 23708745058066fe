//! The one line a delivery attempt leaves in the log. It shows of a url only its origin.

use std::time::Duration;

use a2a_lifecycle::delivery::{Outcome, Verdict};
use a2a_lifecycle::egress::Origin;
use a2a_store::delivery::Delivery;
use a2a_store::keys::PushLane;

use crate::metrics::outcome_label;

/// An attempt, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub lane: &'a PushLane,
    pub delivery: &'a Delivery,
    /// Unknown when the policy refuses the url.
    pub origin: Option<&'a Origin>,
    pub outcome: &'a Outcome,
    pub verdict: &'a Verdict,
    pub duration: Duration,
}

impl Report<'_> {
    pub fn log(&self) {
        tracing::info!(
            task = self.lane.task,
            config = self.lane.config,
            origin = self.origin.map(tracing::field::display),
            revision = self.delivery.revision,
            attempt = self.delivery.attempts + 1,
            status = status(self.outcome),
            outcome = outcome_label(self.outcome),
            verdict = verdict(self.verdict),
            delay_ms = delay(self.verdict).map(|delay| delay.as_millis()),
            duration_ms = self.duration.as_millis(),
            "attempt"
        );
    }
}

/// 0 without an answer.
pub fn status(outcome: &Outcome) -> u16 {
    match outcome {
        Outcome::Answered { status, .. } => *status,
        Outcome::Failed(_) | Outcome::Interrupted => 0,
    }
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Done => "done",
        Verdict::Later { .. } => "later",
        Verdict::Park { .. } => "park",
        Verdict::Disable => "disable",
    }
}

fn delay(verdict: &Verdict) -> Option<Duration> {
    match verdict {
        Verdict::Later { delay, .. } => Some(*delay),
        Verdict::Done | Verdict::Park { .. } | Verdict::Disable => None,
    }
}
