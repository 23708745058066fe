use std::{collections::HashSet, fmt};

use a2a_proto::{
    a2a::{StreamResponse, stream_response::Payload},
    json,
};

use super::Owed;
use crate::receiver::Recorded;

/// A task and one of its webhooks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    task_id: String,
    config: String,
}

/// What one lane got.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    first_successes: Vec<Recorded>,
    accepted: HashSet<String>,
    duplicates: usize,
    malformed: Vec<String>,
}

impl Lane {
    /// The lane from `task_id` to the webhook named `config`.
    #[must_use]
    pub fn new(task_id: &str, config: &str) -> Self {
        Self { task_id: task_id.to_owned(), config: config.to_owned() }
    }

    /// Of a request: the last part of its path names the config.
    #[must_use]
    pub fn of(request: &Recorded) -> Self {
        let config = request.path.rsplit('/').next().unwrap_or_default();
        Self::new(request.task_id(), config)
    }
}

impl Delivered {
    pub(super) fn take(&mut self, request: &Recorded) {
        if let Err(reason) = &request.event {
            self.malformed.push(format!("a body is no event: {reason}"));
        }
        if !request.succeeded() {
            return;
        }
        if self.accepted.insert(request.webhook_id().to_owned()) {
            self.first_successes.push(request.clone());
        } else {
            self.duplicates += 1;
        }
    }

    pub(super) fn duplicates(&self) -> usize {
        self.duplicates
    }

    pub(super) fn faults(&self, owed: &[Owed]) -> Vec<String> {
        let mut faults = self.malformed.clone();
        let accepted: Vec<Accepted<'_>> = self.first_successes.iter().map(Accepted::of).collect();
        let places: Vec<Option<usize>> = place(&accepted, owed);
        faults.extend(lost(owed, &places));
        faults.extend(surplus(&accepted, &places));
        faults.extend(overtaken(&accepted, &places));
        faults
    }
}

struct Accepted<'a> {
    event: Option<&'a StreamResponse>,
    sequence: Option<i64>,
    webhook_id: &'a str,
}

impl<'a> Accepted<'a> {
    fn of(request: &'a Recorded) -> Self {
        Self {
            event: request.event.as_ref().ok(),
            sequence: request.sequence(),
            webhook_id: request.webhook_id(),
        }
    }

    fn pays(&self, owed: &Owed) -> bool {
        match owed {
            Owed::Event(event) => self.event == Some(&**event),
            Owed::Revision(revision) => self.sequence == Some(*revision),
            Owed::Snapshot => {
                matches!(self.event, Some(StreamResponse { payload: Some(Payload::Task(_)) }))
            }
        }
    }
}

/// For each accepted event the place of the debt that it pays; each debt is paid once.
fn place(accepted: &[Accepted<'_>], owed: &[Owed]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = (0..owed.len()).collect();
    let mut pay = |event: &Accepted<'_>| {
        let at = open.iter().position(|place| event.pays(&owed[*place]))?;
        Some(open.remove(at))
    };
    accepted.iter().map(&mut pay).collect()
}

fn lost(owed: &[Owed], places: &[Option<usize>]) -> Vec<String> {
    let paid: HashSet<usize> = places.iter().copied().flatten().collect();
    let lost = owed.iter().enumerate().filter(|(place, _)| !paid.contains(place));
    lost.map(|(place, owed)| format!("lost number {}: {owed}", place + 1)).collect()
}

fn surplus(accepted: &[Accepted<'_>], places: &[Option<usize>]) -> Vec<String> {
    let surplus = accepted.iter().zip(places).filter(|(_, place)| place.is_none());
    surplus.map(|(event, _)| format!("not owed: {event}")).collect()
}

fn overtaken(accepted: &[Accepted<'_>], places: &[Option<usize>]) -> Vec<String> {
    let paying: Vec<(&Accepted<'_>, usize)> =
        accepted.iter().zip(places).filter_map(|(event, place)| Some((event, (*place)?))).collect();
    let overtakes = |pair: &[(&Accepted<'_>, usize)]| {
        let [(_, earlier), (event, later)] = pair else { return None };
        (later < earlier).then(|| format!("number {} came after number {}: {event}", later + 1, earlier + 1))
    };
    paying.windows(2).filter_map(overtakes).collect()
}

fn json(event: &StreamResponse) -> String {
    json::to_vec(event).map_or_else(|e| e.to_string(), |json| String::from_utf8_lossy(&json).into_owned())
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {:?} to {:?}", self.task_id, self.config)
    }
}

impl fmt::Display for Owed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => f.write_str(&json(event)),
            Self::Snapshot => f.write_str("a snapshot of the task"),
            Self::Revision(revision) => write!(f, "revision {revision}"),
        }
    }
}

impl fmt::Display for Accepted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = self.event.map_or_else(|| "no event".to_owned(), json);
        write!(f, "webhook-id {:?}, sequence {:?}, {event}", self.webhook_id, self.sequence)
    }
}
