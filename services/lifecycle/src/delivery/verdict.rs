use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::outcome::{Failure, Outcome};
use super::policy::RetryPolicy;
use super::retry_after::RetryAfter;

/// What to do with the event, and with the config it was sent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Acknowledged: go on to the next event.
    Done,
    /// Try the same event again. An attempt that is not counted keeps its number.
    Later { delay: Duration, counted: bool },
    /// Put this event with the dead letters and go on to the next one.
    Park { reason: ParkReason },
    /// The receiver is gone for good: send nothing more for this config.
    Disable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParkReason {
    /// The receiver refuses this event with a 4xx status.
    Rejected,
    /// The egress policy refuses the url.
    Egress,
    /// Every attempt that the policy gives has failed.
    Attempts,
    /// The event has been failing for longer than the policy allows.
    Age,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a reason to park an event")]
pub struct UnknownParkReason(String);

/// Which attempt it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// From 1; only counted attempts count, this one included.
    pub number: u32,
    /// When the first attempt of this event was made.
    pub first_at_ms: i64,
    pub now_ms: i64,
    /// Random in `[0, 1)`, drawn afresh for each decision.
    pub jitter: f64,
}

pub fn decide(policy: &RetryPolicy, outcome: &Outcome, attempt: Attempt) -> Verdict {
    match *outcome {
        Outcome::Answered { status, retry_after } => answered(policy, status, retry_after, attempt),
        Outcome::Failed(Failure::Egress) => Verdict::Park { reason: ParkReason::Egress },
        Outcome::Failed(_) => retry(policy, None, attempt),
        Outcome::Interrupted => {
            Verdict::Later { delay: policy.delay(1, None, attempt.jitter), counted: false }
        }
    }
}

/// 409 and 425 say that the receiver is busy with the same event or not ready for it. A redirect is a failure,
/// because following it would send the credentials to another host.
fn answered(policy: &RetryPolicy, status: u16, retry_after: Option<RetryAfter>, attempt: Attempt) -> Verdict {
    match status {
        200..=299 => Verdict::Done,
        410 => Verdict::Disable,
        408 | 409 | 425 | 429 => retry(policy, retry_after, attempt),
        400..=499 => Verdict::Park { reason: ParkReason::Rejected },
        _ => retry(policy, retry_after, attempt),
    }
}

fn retry(policy: &RetryPolicy, retry_after: Option<RetryAfter>, attempt: Attempt) -> Verdict {
    if attempt.number >= policy.max_attempts {
        return Verdict::Park { reason: ParkReason::Attempts };
    }
    if attempt.age() >= policy.max_age {
        return Verdict::Park { reason: ParkReason::Age };
    }
    Verdict::Later { delay: policy.delay(attempt.number, retry_after, attempt.jitter), counted: true }
}

impl Attempt {
    /// Nothing if the clock went backwards.
    fn age(self) -> Duration {
        let age_ms = self.now_ms.saturating_sub(self.first_at_ms);
        Duration::from_millis(u64::try_from(age_ms).unwrap_or(0))
    }
}

impl ParkReason {
    pub const ALL: [Self; 4] = [Self::Rejected, Self::Egress, Self::Attempts, Self::Age];

    /// Stable: logs, metrics and storage hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Egress => "egress",
            Self::Attempts => "attempts",
            Self::Age => "age",
        }
    }
}

impl FromStr for ParkReason {
    type Err = UnknownParkReason;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        known.ok_or_else(|| UnknownParkReason(text.to_owned()))
    }
}

impl fmt::Display for ParkReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRIED: Verdict = Verdict::Later { delay: Duration::from_secs(1), counted: true };
    const REJECTED: Verdict = Verdict::Park { reason: ParkReason::Rejected };

    fn policy() -> RetryPolicy {
        RetryPolicy {
            ceilings: [2, 10].map(Duration::from_secs).to_vec(),
            max_attempts: 5,
            max_age: Duration::from_secs(100),
            retry_after_cap: Duration::from_secs(60),
        }
    }

    fn attempt(number: u32) -> Attempt {
        Attempt { number, first_at_ms: 1_000, now_ms: 2_000, jitter: 0.5 }
    }

    fn answer(status: u16) -> Outcome {
        Outcome::Answered { status, retry_after: None }
    }

    fn expected(status: u16) -> Verdict {
        match status {
            200..300 => Verdict::Done,
            408 | 409 | 425 | 429 => RETRIED,
            410 => Verdict::Disable,
            400..500 => REJECTED,
            _ => RETRIED,
        }
    }

    #[test]
    fn every_status_has_its_verdict() {
        for status in 0..=1000 {
            assert_eq!(decide(&policy(), &answer(status), attempt(1)), expected(status), "{status}");
        }
    }

    #[test]
    fn statuses_that_receivers_send_have_the_verdict_we_promise() {
        let table: [(Verdict, &[u16]); 4] = [
            (Verdict::Done, &[200, 201, 202, 204, 206, 299]),
            (Verdict::Disable, &[410]),
            (REJECTED, &[400, 401, 403, 404, 405, 411, 413, 415, 422, 451, 499]),
            (RETRIED, &[0, 100, 101, 103, 199, 300, 301, 302, 303, 304, 307, 308, 408, 409, 425, 429]),
        ];
        for (verdict, statuses) in table {
            for status in statuses {
                assert_eq!(decide(&policy(), &answer(*status), attempt(1)), verdict, "{status}");
            }
        }
        for status in [500, 501, 502, 503, 504, 529, 599, 600, 999, u16::MAX] {
            assert_eq!(decide(&policy(), &answer(status), attempt(1)), RETRIED, "{status}");
        }
    }

    #[test]
    fn every_failure_is_retried_but_a_refused_url_is_parked() {
        use Failure::{Connect, Dns, Egress, Protocol, Reset, Timeout, Tls};
        for failure in [Connect, Dns, Protocol, Reset, Timeout, Tls] {
            assert_eq!(decide(&policy(), &Outcome::Failed(failure), attempt(1)), RETRIED, "{failure}");
        }
        let parked = Verdict::Park { reason: ParkReason::Egress };
        assert_eq!(decide(&policy(), &Outcome::Failed(Egress), attempt(1)), parked);
    }

    #[test]
    fn the_last_attempt_parks_unless_it_succeeds() {
        let parked = Verdict::Park { reason: ParkReason::Attempts };
        assert!(matches!(decide(&policy(), &answer(500), attempt(4)), Verdict::Later { .. }));
        assert_eq!(decide(&policy(), &answer(500), attempt(5)), parked);
        assert_eq!(decide(&policy(), &answer(200), attempt(5)), Verdict::Done);
        assert_eq!(decide(&policy(), &answer(410), attempt(5)), Verdict::Disable);
    }

    #[test]
    fn an_old_event_parks() {
        let aged = |now_ms| decide(&policy(), &answer(500), Attempt { now_ms, ..attempt(1) });
        assert_eq!(aged(100_999), RETRIED);
        assert_eq!(aged(101_000), Verdict::Park { reason: ParkReason::Age });
        assert_eq!(aged(i64::MAX), Verdict::Park { reason: ParkReason::Age });
        assert_eq!(aged(i64::MIN), RETRIED);
    }

    #[test]
    fn retry_after_counts_on_every_retried_status() {
        let retry_after = Some(RetryAfter::new(Duration::from_secs(30)));
        for status in [302, 408, 409, 425, 429, 500, 503] {
            let verdict = decide(&policy(), &Outcome::Answered { status, retry_after }, attempt(1));
            assert_eq!(verdict, Verdict::Later { delay: Duration::from_secs(30), counted: true }, "{status}");
        }
    }

    #[test]
    fn our_own_fault_is_not_counted_even_at_the_limits() {
        let limits = Attempt { now_ms: i64::MAX, ..attempt(u32::MAX) };
        let uncounted = Verdict::Later { delay: Duration::from_secs(1), counted: false };
        assert_eq!(decide(&policy(), &Outcome::Interrupted, limits), uncounted);
    }

    #[test]
    fn reasons_read_back_as_written() {
        for reason in ParkReason::ALL {
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        assert!("".parse::<ParkReason>().is_err());
    }
}
