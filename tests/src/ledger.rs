//! What was owed to each webhook, held against what it got.

mod lane;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use a2a_proto::a2a::StreamResponse;

use self::lane::Delivered;
pub use self::lane::Lane;
use crate::receiver::Recorded;

/// An event that a webhook is owed.
#[derive(Debug, Clone, PartialEq)]
pub enum Owed {
    /// This very event.
    Event(Box<StreamResponse>),
    /// A snapshot of the task, whatever it holds.
    Snapshot,
    /// The event that stands for this revision of the task.
    Revision(i64),
}

/// The events owed to each lane, in order.
#[derive(Debug, Default)]
pub struct Ledger {
    owed: BTreeMap<Lane, Vec<Owed>>,
}

/// A delivery without fault, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pairs of a task and a webhook.
    pub lanes: usize,
    /// Events owed, each of which was accepted.
    pub events: usize,
    /// Requests that carried them, refused ones included.
    pub requests: usize,
    /// Events accepted again under the same `webhook-id`.
    pub duplicates: usize,
}

impl Ledger {
    /// Adds what `config` is owed about the task, after what it is owed already.
    pub fn owe(&mut self, task_id: &str, config: &str, events: impl IntoIterator<Item = Owed>) {
        self.owed.entry(Lane::new(task_id, config)).or_default().extend(events);
    }

    /// How many events are owed in all.
    #[must_use]
    pub fn events(&self) -> usize {
        self.owed.values().map(Vec::len).sum()
    }

    /// Holds the requests that a receiver recorded against the books: per lane
    /// each event was accepted, first successes came in order, and nothing else came.
    ///
    /// # Errors
    /// With the difference, a line for each fault.
    pub fn check(&self, recorded: &[Recorded]) -> Result<Summary, String> {
        let mut delivered: BTreeMap<Lane, Delivered> = BTreeMap::new();
        for request in recorded {
            delivered.entry(Lane::of(request)).or_default().take(request);
        }
        let lanes: BTreeSet<&Lane> = self.owed.keys().chain(delivered.keys()).collect();
        let faults: Vec<String> = lanes.into_iter().flat_map(|lane| self.faults(lane, &delivered)).collect();
        if faults.is_empty() { Ok(self.summary(recorded.len(), &delivered)) } else { Err(faults.join("\n")) }
    }

    /// Prints the summary in a line.
    ///
    /// # Panics
    /// With the exact difference, when there is one.
    #[track_caller]
    pub fn assert_delivered(&self, recorded: &[Recorded]) -> Summary {
        match self.check(recorded) {
            Ok(summary) => {
                println!("{summary}");
                summary
            }
            Err(difference) => panic!("deliveries differ from what was owed:\n{difference}"),
        }
    }

    fn faults(&self, lane: &Lane, delivered: &BTreeMap<Lane, Delivered>) -> Vec<String> {
        let owed = self.owed.get(lane).map_or(&[][..], Vec::as_slice);
        let none = Delivered::default();
        let faults = delivered.get(lane).unwrap_or(&none).faults(owed);
        faults.into_iter().map(|fault| format!("{lane}: {fault}")).collect()
    }

    fn summary(&self, requests: usize, delivered: &BTreeMap<Lane, Delivered>) -> Summary {
        Summary {
            lanes: self.owed.len(),
            events: self.events(),
            requests,
            duplicates: delivered.values().map(Delivered::duplicates).sum(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lanes, events, requests, duplicates } = self;
        write!(
            f,
            "{events} events to {lanes} lanes, 0 lost, in order, {requests} requests, {duplicates} duplicates"
        )
    }
}

#[cfg(test)]
mod tests;
