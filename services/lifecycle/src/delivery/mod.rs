//! What follows from an attempt to deliver an event to a webhook.
//!
//! [`decide`] is the whole policy: the dispatcher makes the attempt, tells what happened as an [`Outcome`],
//! and does what the [`Verdict`] says. The receiver's faults are counted against it; ours are not.

mod outcome;
mod policy;
mod retry_after;
mod verdict;

#[cfg(test)]
mod properties;

pub use outcome::{Failure, Outcome};
pub use policy::RetryPolicy;
pub use retry_after::RetryAfter;
pub use verdict::{Attempt, ParkReason, UnknownParkReason, Verdict, decide};
