//! What is told of an attempt: one line in the log, and a record that operators see. Neither shows of a url
//! more than its origin.

use std::time::Duration;

use a2a_lifecycle::delivery::{Outcome, Verdict};
use a2a_lifecycle::egress::Origin;
use a2a_proto::push;
use a2a_store::delivery::Delivery;
use a2a_store::keys::PushLane;
use prost_types::Timestamp;

use crate::metrics::outcome_label;
use crate::webhook::Answer;

/// An attempt, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub lane: &'a PushLane,
    pub delivery: &'a Delivery,
    /// Unknown when the policy refuses the url.
    pub origin: Option<&'a Origin>,
    pub answer: &'a Answer,
    pub verdict: &'a Verdict,
}

impl Report<'_> {
    pub fn log(&self) {
        tracing::info!(
            task = self.lane.task,
            config = self.lane.config,
            origin = self.origin.map(tracing::field::display),
            revision = self.delivery.revision,
            attempt = self.delivery.attempts.saturating_add(1),
            status = status(&self.answer.outcome),
            outcome = outcome_label(&self.answer.outcome),
            verdict = verdict(self.verdict),
            delay_ms = delay(self.verdict).map(as_ms),
            duration_ms = as_ms(self.answer.duration),
            "attempt"
        );
    }
}

/// The record of an attempt that ended at `at_ms`.
pub fn record(delivery: &Delivery, answer: &Answer, at_ms: i64) -> push::Attempt {
    push::Attempt {
        revision: i64::try_from(delivery.revision).unwrap_or(i64::MAX),
        attempt: i32::try_from(delivery.attempts).unwrap_or(i32::MAX).saturating_add(1),
        at: Some(timestamp(at_ms)),
        status: i32::from(status(&answer.outcome)),
        outcome: outcome_label(&answer.outcome).to_owned(),
        duration_ms: i64::try_from(as_ms(answer.duration)).unwrap_or(i64::MAX),
    }
}

pub(crate) fn as_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn timestamp(ms: i64) -> Timestamp {
    let nanos = i32::try_from(ms.rem_euclid(1_000)).unwrap_or(0) * 1_000_000;
    Timestamp { seconds: ms.div_euclid(1_000), nanos }
}

/// 0 without an answer.
fn status(outcome: &Outcome) -> u16 {
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
