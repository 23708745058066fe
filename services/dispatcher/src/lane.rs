//! The walk of one lane: event after event, until nothing is left to send or the lane has to wait.

use std::time::{Duration, Instant};

use a2a_lifecycle::delivery::{Attempt, Outcome, ParkReason, Verdict, decide};
use a2a_proto::push;
use a2a_runtime::{clock, random};
use a2a_store::Fault;
use a2a_store::delivery::{Delivery, Lease, Next, Parked};
use tokio::sync::OwnedSemaphorePermit;

use crate::attempt::{Made, Unfit, attempt};
use crate::dispatcher::Dispatcher;
use crate::gate::{Busy, Wait};
use crate::reason::{Hold, Reason};
use crate::report::{Report, as_ms, record};
use crate::scheduler::ASK_EVERY;

/// Most events sent in a row before other lanes get their turn.
const EVENTS_IN_A_ROW: u32 = 64;

/// What a step of the walk leads to.
enum Step {
    On(Next),
    /// The lane goes back, uncounted, for so long.
    Back(Duration),
    Ended,
}

/// `slot` is given back as soon as the lane only has to be put back.
pub async fn walk(dispatcher: &Dispatcher, lease: &Lease, slot: OwnedSemaphorePermit) {
    let _in_flight = dispatcher.metrics.lane();
    let (started, mut sent) = (clock::instant(), 0);
    let loaded = dispatcher.persist("load a lane", || dispatcher.store.load(lease)).await;
    let mut step = on(dispatcher, lease, loaded).await;
    while let Step::On(next) = step {
        step = match next {
            Next::Send(_) if turn_is_over(dispatcher, started, sent) => Step::Back(Duration::ZERO),
            Next::Send(delivery) => deliver(dispatcher, lease, &delivery).await,
            Next::Rest => Step::Ended,
            Next::Lost => lost(dispatcher),
        };
        sent += 1;
    }
    if let Step::Back(delay) = step {
        drop(slot);
        later(dispatcher, lease, delay, None).await;
    }
}

/// The first event of a turn is sent in any case, unless the process is stopping.
fn turn_is_over(dispatcher: &Dispatcher, started: Instant, sent: u32) -> bool {
    let term = Duration::from_millis(dispatcher.limits.lease_ms / 2);
    let used_up = sent >= EVENTS_IN_A_ROW || started.elapsed() >= term;
    dispatcher.shutdown.is_stopping() || (sent > 0 && used_up)
}

async fn deliver(dispatcher: &Dispatcher, lease: &Lease, delivery: &Delivery) -> Step {
    let first_at_ms = clock::unix_ms().saturating_sub_unsigned(as_ms(delivery.age));
    match attempt(dispatcher, &lease.lane, delivery).await {
        Ok(made) => {
            let now_ms = clock::unix_ms();
            let verdict = verdict(dispatcher, delivery, &made.answer.outcome, (first_at_ms, now_ms));
            tell(dispatcher, lease, delivery, &made, &verdict);
            let record = record(delivery, &made.answer, now_ms);
            follow(dispatcher, lease, delivery, &record, verdict).await
        }
        Err(Unfit::Park(reason)) => {
            let (task, config) = (&lease.lane.task, &lease.lane.config);
            tracing::warn!(task, config, revision = delivery.revision, %reason, "event cannot be sent");
            park(dispatcher, lease, delivery, reason, None).await
        }
        Err(Unfit::Wait(wait)) => turned_away(dispatcher, lease, delivery, wait).await,
    }
}

/// Waits do not count as attempts, but they do not keep an event for ever either.
async fn turned_away(dispatcher: &Dispatcher, lease: &Lease, delivery: &Delivery, wait: Wait) -> Step {
    dispatcher.metrics.turned_away(wait.why);
    if wait.why == Busy::BreakerOpen && delivery.age >= dispatcher.retry.max_age {
        return park(dispatcher, lease, delivery, Reason::Policy(ParkReason::Age), None).await;
    }
    Step::Back(wait.delay.mul_f64(1.0 + random::unit() / 4.0))
}

/// An interrupted attempt is made again at once, by whoever is still there.
fn verdict(
    dispatcher: &Dispatcher,
    delivery: &Delivery,
    outcome: &Outcome,
    (first_at_ms, now_ms): (i64, i64),
) -> Verdict {
    if *outcome == Outcome::Interrupted {
        return Verdict::Later { delay: Duration::ZERO, counted: false };
    }
    let number = delivery.attempts.saturating_add(1);
    decide(&dispatcher.retry, outcome, Attempt { number, first_at_ms, now_ms, jitter: random::unit() })
}

fn tell(dispatcher: &Dispatcher, lease: &Lease, delivery: &Delivery, made: &Made, verdict: &Verdict) {
    let Made { origin, answer, span } = made;
    dispatcher.metrics.attempt(&answer.outcome, answer.duration);
    let report = Report { lane: &lease.lane, delivery, origin: origin.as_ref(), answer, verdict };
    span.in_scope(|| report.log());
}

async fn follow(
    dispatcher: &Dispatcher,
    lease: &Lease,
    delivery: &Delivery,
    record: &push::Attempt,
    verdict: Verdict,
) -> Step {
    match verdict {
        Verdict::Done => done(dispatcher, lease, delivery, record).await,
        Verdict::Later { delay, counted: false } => Step::Back(delay),
        Verdict::Later { delay, counted: true } => later(dispatcher, lease, delay, Some(record)).await,
        Verdict::Park { reason } => {
            park(dispatcher, lease, delivery, Reason::Policy(reason), Some(record)).await
        }
        Verdict::Disable => hold(dispatcher, lease, Hold::Gone, Some(record)).await,
    }
}

async fn done(dispatcher: &Dispatcher, lease: &Lease, delivery: &Delivery, record: &push::Attempt) -> Step {
    dispatcher.metrics.delivered(lag(delivery));
    let advance = || dispatcher.store.done(lease, delivery, record);
    let next = dispatcher.persist("advance a lane", advance).await;
    on(dispatcher, lease, next).await
}

/// `counted` counts against the receiver.
async fn later(
    dispatcher: &Dispatcher,
    lease: &Lease,
    delay: Duration,
    counted: Option<&push::Attempt>,
) -> Step {
    let put = || dispatcher.store.later(lease, delay, counted);
    let held = dispatcher.persist("put back a lane", put).await;
    if delay < ASK_EVERY {
        dispatcher.wake(dispatcher.store.keyspace().shard_of(&lease.lane.task));
    }
    ended(dispatcher, held)
}

async fn park(
    dispatcher: &Dispatcher,
    lease: &Lease,
    delivery: &Delivery,
    reason: Reason,
    last: Option<&push::Attempt>,
) -> Step {
    let why = Parked {
        reason: reason.as_str(),
        attempts: delivery.attempts + u32::from(last.is_some() && was_sent(reason)),
        max_dead_letters: dispatcher.limits.max_dead_letters,
        hold_after: if is_exhausted(reason) { dispatcher.limits.disable_after_exhausted } else { 0 },
        last,
    };
    let parked = dispatcher.persist("park an event", || dispatcher.store.park(lease, delivery, &why)).await;
    if matches!(parked, Ok(Next::Send(_) | Next::Rest)) {
        dispatcher.metrics.parked(reason);
    }
    on(dispatcher, lease, parked).await
}

async fn hold(dispatcher: &Dispatcher, lease: &Lease, why: Hold, last: Option<&push::Attempt>) -> Step {
    let disable = || dispatcher.store.disable(lease, why.as_str(), last);
    let held = dispatcher.persist("hold a webhook", disable).await;
    if matches!(held, Ok(true)) {
        dispatcher.metrics.held(why);
    }
    ended(dispatcher, held)
}

/// A webhook whose stored config cannot be read is held: no other way leads past it.
async fn on(dispatcher: &Dispatcher, lease: &Lease, next: Result<Next, Fault>) -> Step {
    match next {
        Ok(next) => Step::On(next),
        Err(Fault::Corrupt(error)) => {
            let (task, config) = (&lease.lane.task, &lease.lane.config);
            tracing::error!(task, config, %error, "webhook cannot be read");
            hold(dispatcher, lease, Hold::Undecodable, None).await
        }
        Err(fault) => given_up(&fault),
    }
}

fn ended(dispatcher: &Dispatcher, held: Result<bool, Fault>) -> Step {
    match held {
        Ok(true) => Step::Ended,
        Ok(false) => lost(dispatcher),
        Err(fault) => given_up(&fault),
    }
}

/// Another holder, or nobody, has the lane by now: nothing is left to do.
fn lost(dispatcher: &Dispatcher) -> Step {
    dispatcher.metrics.lost_lease();
    Step::Ended
}

/// The lease runs out, and the lane becomes due by itself.
fn given_up(fault: &Fault) -> Step {
    tracing::warn!(error = %fault.chain(), "lane left to its lease");
    Step::Ended
}

fn was_sent(reason: Reason) -> bool {
    matches!(reason, Reason::Policy(ParkReason::Rejected | ParkReason::Attempts | ParkReason::Age))
}

fn is_exhausted(reason: Reason) -> bool {
    matches!(reason, Reason::Policy(ParkReason::Attempts | ParkReason::Age))
}

fn lag(delivery: &Delivery) -> Option<Duration> {
    let lag_ms = clock::unix_ms().saturating_sub(delivery.committed_at_ms?);
    Some(Duration::from_millis(u64::try_from(lag_ms).unwrap_or(0)))
}
