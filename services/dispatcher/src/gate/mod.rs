//! Who may make an attempt now, and when the others ask again.
//!
//! Three things keep one receiver from delaying the rest. An origin has a cap of attempts under way at once,
//! and a breaker that leaves it alone while it only fails; and first attempts, retries, and attempts at origins
//! that have not answered well have budgets of their own, so none of them fills the replica. A lane that is
//! turned away goes back to Redis, uncounted, to the moment when there may be a place for it: it leaves the head of
//! the due set, so that claims find the lanes behind it, and it comes back no more often than places get free.
//! Only where a place is a few milliseconds away does a lane wait for it here.
//!
//! Each replica has its own view. What an origin can take is found out by asking it: a few failures for each
//! replica, and one probe for each while a breaker is open. A shared view would save those, at the price of a
//! round trip to Redis for every attempt, and of one replica's broken network closing an origin for all.

mod breaker;
mod budget;
mod origins;
mod queue;

use std::time::Duration;

use a2a_lifecycle::delivery::{Failure, Outcome};
use a2a_lifecycle::egress::Origin;
use a2a_runtime::clock;
use tokio::sync::OwnedSemaphorePermit;

pub use breaker::BreakerLimits;

use budget::{Budget, Share};
use origins::{Entry, Origins};

const WAIT_MIN: Duration = Duration::from_millis(25);
const WAIT_CAP: Duration = Duration::from_secs(10);
/// The longest expected wait for a place at an origin that is not worth a way through Redis.
const WAIT_HERE: Duration = Duration::from_millis(20);

/// How many attempts one replica makes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateLimits {
    /// Retries included.
    pub attempts: u32,
    pub retries: u32,
    pub per_origin: u32,
    pub breaker: BreakerLimits,
}

/// Clones share the places.
#[derive(Clone, Debug)]
pub struct Gate {
    origins: Origins,
    firsts: Budget,
    unproven: Budget,
    retries: Budget,
}

/// A place, given back when dropped; call [`Place::ended`] when something was learnt.
#[derive(Debug)]
pub struct Place {
    _visit: Visit,
    shares: Vec<Share>,
}

/// A lane is turned away: why, and for how long, before jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub why: Busy,
    pub delay: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Busy {
    /// The origin has as many attempts under way as it may.
    OriginFull,
    /// The origin only fails.
    BreakerOpen,
    /// The replica has as many attempts of the kind under way as it may.
    BudgetSpent,
}

/// An attempt at an origin, from being admitted on.
#[derive(Debug)]
struct Visit {
    origins: Origins,
    origin: Origin,
    probe: bool,
    since: std::time::Instant,
    /// Whether the origin answered well; unknown while the attempt runs, or when it says nothing.
    healthy: Option<bool>,
    place: Option<OwnedSemaphorePermit>,
}

impl Gate {
    pub fn new(limits: GateLimits) -> Self {
        let GateLimits { attempts, retries, per_origin, breaker } = limits;
        let (now, firsts) = (clock::instant(), attempts.saturating_sub(retries).max(1));
        Self {
            origins: Origins::new(per_origin, breaker),
            firsts: Budget::new(firsts, now),
            unproven: Budget::new((firsts * 3).div_ceil(4), now),
            retries: Budget::new(retries.max(1), now),
        }
    }

    /// A place for an attempt at `origin`.
    pub async fn enter(&self, origin: &Origin, is_retry: bool) -> Result<Place, Wait> {
        let Entry { probe, proven } = self.origins.admit(origin, clock::instant())?;
        let mut visit = Visit {
            origins: self.origins.clone(),
            origin: origin.clone(),
            probe,
            since: clock::instant(),
            healthy: None,
            place: None,
        };
        visit.place = Some(self.origins.place(origin).await?);
        visit.since = clock::instant();
        let budgets = match (is_retry, proven) {
            (true, _) => vec![&self.retries],
            (false, true) => vec![&self.firsts],
            (false, false) => vec![&self.firsts, &self.unproven],
        };
        let take = |budget: &Budget| budget.take(visit.since, WAIT_CAP);
        let shares = budgets.into_iter().map(take).collect::<Result<_, _>>();
        Ok(Place { shares: shares.map_err(|delay| Wait::new(Busy::BudgetSpent, delay))?, _visit: visit })
    }

    /// Origins whose breaker is not closed.
    pub fn broken(&self) -> usize {
        self.origins.broken()
    }
}

impl Place {
    /// The attempt went so.
    pub fn ended(mut self, outcome: &Outcome) {
        let now = clock::instant();
        self._visit.healthy = health(outcome);
        self.shares.drain(..).for_each(|share| share.give_back(now));
    }
}

impl Wait {
    fn new(why: Busy, delay: Duration) -> Self {
        Self { why, delay: delay.max(WAIT_MIN) }
    }
}

impl Busy {
    /// Stable: metrics hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OriginFull => "origin_full",
            Self::BreakerOpen => "breaker_open",
            Self::BudgetSpent => "budget_spent",
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.origins.left(self, clock::instant());
    }
}

/// Whether the outcome speaks for the origin. One that refuses an event is well.
fn health(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Answered { status: 408 | 429 | 500.., .. } => Some(false),
        Outcome::Answered { .. } => Some(true),
        Outcome::Failed(Failure::Egress) | Outcome::Interrupted => None,
        Outcome::Failed(_) => Some(false),
    }
}

#[cfg(test)]
mod tests;
