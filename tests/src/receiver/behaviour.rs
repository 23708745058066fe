use std::{collections::VecDeque, time::Duration};

use tokio::sync::watch;

/// How a path answers.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// 200.
    Accept,
    /// This status.
    Status(u16),
    /// This status with these headers, such as `retry-after`.
    StatusWith(u16, Vec<(String, String)>),
    /// 307 to this address.
    Redirect(String),
    /// 500 for this fraction of the requests, else 200.
    FailFraction(f64, fastrand::Rng),
    /// 200 after this time.
    Delay(Duration),
    /// After a random time up to the longest: 500 for this fraction, else 200.
    Rough { longest: Duration, failing: f64, rng: fastrand::Rng },
    /// 200 once the gate is open.
    Hold(Gate),
    /// No answer for as long as the client waits.
    Hang,
    /// The connection is reset instead of an answer.
    Reset,
    /// 200 at once, then a body without end, a byte each time.
    Drip(Duration),
    /// One after the other, a request each, then 200.
    Sequence(VecDeque<Self>),
}

/// Holds requests back until a test lets them through.
#[derive(Debug, Clone)]
pub struct Gate(watch::Sender<bool>);

/// What to do with one request.
#[derive(Debug)]
pub(super) enum Action {
    Answer(u16, Vec<(String, String)>),
    AnswerAfter(Duration, u16),
    AnswerBehind(Gate),
    Hang,
    Reset,
    Drip(Duration),
}

impl Behaviour {
    /// One behaviour a request, then 200.
    #[must_use]
    pub fn sequence(steps: impl IntoIterator<Item = Self>) -> Self {
        Self::Sequence(steps.into_iter().collect())
    }

    pub(super) fn next(&mut self) -> Action {
        match self {
            Self::Accept => answer(200),
            Self::Status(status) => answer(*status),
            Self::StatusWith(status, headers) => Action::Answer(*status, headers.clone()),
            Self::Redirect(location) => Action::Answer(307, vec![("location".to_owned(), location.clone())]),
            Self::FailFraction(fraction, rng) => answer(failing(*fraction, rng)),
            Self::Delay(delay) => Action::AnswerAfter(*delay, 200),
            Self::Rough { longest, failing: fraction, rng } => {
                Action::AnswerAfter(longest.mul_f64(rng.f64()), failing(*fraction, rng))
            }
            Self::Hold(gate) => Action::AnswerBehind(gate.clone()),
            Self::Hang => Action::Hang,
            Self::Reset => Action::Reset,
            Self::Drip(every) => Action::Drip(*every),
            Self::Sequence(steps) => steps.pop_front().map_or_else(|| answer(200), |mut step| step.next()),
        }
    }
}

impl Gate {
    /// A closed one.
    #[must_use]
    pub fn closed() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Lets through all that wait and all that come.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(super) async fn passed(&self) {
        // It cannot fail: this very value holds the sender.
        _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

fn failing(fraction: f64, rng: &mut fastrand::Rng) -> u16 {
    if rng.f64() < fraction { 500 } else { 200 }
}

fn answer(status: u16) -> Action {
    Action::Answer(status, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn statuses(mut behaviour: Behaviour, count: usize) -> Vec<u16> {
        let next = |_| match behaviour.next() {
            Action::Answer(status, _) => status,
            other => panic!("{other:?}"),
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn a_sequence_ends_in_acceptance() {
        let steps = Behaviour::sequence([Behaviour::Status(500), Behaviour::Status(410)]);
        assert_eq!(statuses(steps, 4), [500, 410, 200, 200]);
    }

    #[test]
    fn a_seeded_fraction_fails_and_replays() {
        let failing = || statuses(Behaviour::FailFraction(0.2, Seed::new(3).rng("receiver")), 1_000);
        let failed = failing().iter().filter(|status| **status == 500).count();
        assert!((150..250).contains(&failed), "{failed}");
        assert_eq!(failing(), failing());
    }
}
