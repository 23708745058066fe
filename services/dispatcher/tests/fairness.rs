//! One receiver's trouble is not another's.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_dispatcher::gate::{BreakerLimits, GateLimits};
use a2a_runtime::clock;
use a2a_store::Store;
use a2a_store::keys::PushLane;
use support::receiver::{Receiver, Reply};
use support::redis::Redis;
use support::replica::{Replica, loopback};
use support::soon;
use support::tasks::{config, create};

const LIMITS: GateLimits = GateLimits {
    attempts: 64,
    retries: 32,
    per_origin: 4,
    breaker: BreakerLimits {
        failures: 5,
        open: Duration::from_millis(200),
        open_cap: Duration::from_millis(400),
    },
};

async fn tasks(store: &Store, name: &str, count: usize, receiver: &Receiver) {
    for n in 0..count {
        let task = format!("{name}{n}");
        create(store, &task, config(&task, &receiver.url())).await;
    }
}

/// Two hundred lanes of an origin that hangs are due, and full; a healthy one is due after them.
#[tokio::test]
async fn the_lanes_of_a_full_origin_do_not_delay_a_healthy_one() {
    let hanging = Receiver::start(|_| Reply::Silence).await;
    let mut healthy = Receiver::start(|_| Reply::Status(200)).await;
    let redis = Redis::start().await;
    let store = redis.store();
    tasks(&store, "slow", 200, &hanging).await;
    let replica = Replica::limited(store.clone(), loopback(), LIMITS);
    soon(async {
        while hanging.connections() < LIMITS.per_origin as usize {
            tokio::task::yield_now().await;
        }
    })
    .await;

    let created = clock::instant();
    tasks(&store, "fast", 1, &healthy).await;
    healthy.next().await;
    assert!(created.elapsed() < Duration::from_secs(1), "{:?}", created.elapsed());
    replica.stop().await;
}

#[tokio::test]
async fn a_full_origin_never_sees_more_than_its_cap() {
    let (now, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (running, seen) = (now.clone(), most.clone());
    let mut receiver = Receiver::slow(Duration::from_millis(20), move |began| {
        if began {
            seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        } else {
            running.fetch_sub(1, Ordering::SeqCst);
        }
    })
    .await;
    let redis = Redis::start().await;
    let store = redis.store();
    tasks(&store, "task", 100, &receiver).await;
    let replica = Replica::limited(store.clone(), loopback(), LIMITS);
    for _ in 0..100 {
        assert_eq!(receiver.next().await.number("a2a-delivery-attempt"), 1);
    }
    replica.stop().await;
    assert_eq!(most.load(Ordering::SeqCst), LIMITS.per_origin as usize);
}

/// What the breaker holds back is not counted, and goes on once the receiver is well.
#[tokio::test]
async fn an_origin_that_only_fails_is_probed_and_then_served() {
    let asked = Arc::<AtomicUsize>::default();
    let count = asked.clone();
    const FAILING: usize = 12;
    let mut receiver = Receiver::start(move |_| {
        Reply::Status(if count.fetch_add(1, Ordering::SeqCst) < FAILING { 503 } else { 200 })
    })
    .await;
    let redis = Redis::start().await;
    let store = redis.store();
    tasks(&store, "task", 30, &receiver).await;
    let replica = Replica::limited(store.clone(), loopback(), LIMITS);
    let mut attempts = Vec::new();
    for _ in 0..30 + FAILING {
        attempts.push(receiver.next().await.number("a2a-delivery-attempt"));
    }
    // Without a breaker, thirty lanes would fail long before one failed so often.
    assert!(attempts.iter().all(|attempt| *attempt <= FAILING as u64), "{attempts:?}");
    for n in 0..30 {
        let lane = PushLane { task: format!("task{n}"), config: "c".into() };
        soon(async { while store.lane_view(&lane).await.unwrap().unwrap().last_success_at_ms.is_none() {} })
            .await;
    }
    replica.stop().await;
    assert!(receiver.is_silent());
    assert!(redis.dead().await.is_empty());
}
