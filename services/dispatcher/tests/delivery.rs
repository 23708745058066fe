//! What receivers see of a task's changes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use a2a_dispatcher::gate::{BreakerLimits, GateLimits};
use a2a_dispatcher::webhook::webhook_id;
use a2a_runtime::clock;
use a2a_store::Store;
use a2a_store::delivery::{Lease, Next};
use a2a_store::keys::PushLane;
use support::receiver::{Receiver, Reply};
use support::redis::{PREFIX, Redis};
use support::replica::{LEASE_MS, Replica, loopback};
use support::soon;
use support::tasks::{change, config, create};

/// Waits until the lane of `task` has nothing left to do, whatever became of it.
async fn at_rest(redis: &Redis, task: &str) {
    let mut raw = redis.raw().await;
    soon(async {
        loop {
            let mut due = redis::cmd("ZSCORE");
            due.arg(format!("{PREFIX}due:push")).arg(format!("{task}/c"));
            let mut pending = redis::cmd("XINFO");
            pending.arg("GROUPS").arg(format!("{PREFIX}changes"));
            let groups: redis::streams::StreamInfoGroupsReply = pending.query_async(&mut raw).await.unwrap();
            let read = |group: &redis::streams::StreamInfoGroup| group.pending == 0 && group.lag == Some(0);
            // In this order: a change that was fanned out before has made its lane due by now.
            let all_read = !groups.groups.is_empty() && groups.groups.iter().all(read);
            let score: Option<f64> = due.query_async(&mut raw).await.unwrap();
            if all_read && score.is_none() {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

async fn fixture(receiver: &Receiver, task: &str) -> (Redis, Store) {
    let redis = Redis::start().await;
    let store = redis.store();
    create(&store, task, config(task, &receiver.url())).await;
    (redis, store)
}

#[tokio::test]
async fn a_request_has_the_bytes_and_headers_that_are_promised() {
    let mut receiver = Receiver::start(|_| Reply::Status(204)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let replica = Replica::start(store.clone());

    let first = receiver.next().await;
    assert_eq!(first.request_line, "POST /hook?k=secret HTTP/1.1");
    assert_eq!(first.body, r#"{"task":{"id":"t1","status":{"state":"TASK_STATE_SUBMITTED"}}}"#);
    let length = first.body.len().to_string();
    for (name, value) in [
        ("content-type", "application/a2a+json"),
        ("content-length", length.as_str()),
        ("accept-encoding", "identity"),
        ("user-agent", concat!("a2a-dispatcher/", env!("CARGO_PKG_VERSION"))),
        ("authorization", "Bearer cred"),
        ("a2a-notification-token", "tok"),
        ("x-a2a-notification-token", "tok"),
        ("webhook-id", webhook_id("t1", "c", "t1-1").as_str()),
        ("a2a-event-sequence", "1"),
        ("a2a-delivery-attempt", "1"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ("tracestate", "v=1"),
    ] {
        assert_eq!(first.header(name), Some(value), "{name}");
    }
    let now_s = u64::try_from(clock::unix_ms() / 1_000).unwrap();
    assert!(now_s.abs_diff(first.number("webhook-timestamp")) < 60);
    assert_eq!(first.headers.iter().filter(|(name, _)| name == "authorization").count(), 1);

    change(&store, "t1", 1).await;
    assert!(receiver.next().await.body.starts_with(r#"{"statusUpdate":{"taskId":"t1","contextId":"ctx""#));
    at_rest(&redis, "t1").await;
    assert!(redis.dead().await.is_empty());
    replica.stop().await;
}

/// Ten lanes, a receiver that fails three in ten, two replicas.
#[tokio::test]
async fn retries_keep_the_order_of_each_lane() {
    const SEED: u64 = 7;
    const EVENTS: u64 = 30;
    let random = Mutex::new(fastrand::Rng::with_seed(SEED));
    let mut receiver = Receiver::start(move |_| {
        let roll = random.lock().unwrap().u8(0..10);
        Reply::Status(match roll {
            0 => 500,
            1 => 429,
            2 => 302,
            _ => 200,
        })
    })
    .await;
    let redis = Redis::start().await;
    let store = redis.store();
    let tasks: Vec<String> = (0..10).map(|n| format!("task{n}")).collect();
    let replicas = [Replica::start(store.clone()), Replica::start(store.clone())];
    for task in &tasks {
        create(&store, task, config(task, &format!("http://{}/{task}", receiver.addr))).await;
        change(&store, task, EVENTS - 1).await;
    }
    for task in &tasks {
        at_rest(&redis, task).await;
    }
    for replica in replicas {
        replica.stop().await;
    }
    let mut seen = BTreeMap::<String, Vec<u64>>::new();
    let mut ids = BTreeMap::<(String, u64), String>::new();
    let mut attempts = 0;
    while let Ok(request) = tokio::time::timeout(Duration::ZERO, receiver.next()).await {
        let (task, revision) = (request.request_line.clone(), request.number("a2a-event-sequence"));
        let id = request.header("webhook-id").unwrap().to_owned();
        assert_eq!(ids.entry((task.clone(), revision)).or_insert_with(|| id.clone()), &id);
        seen.entry(task).or_default().push(revision);
        attempts += 1;
    }
    assert!(attempts > 10 * EVENTS + 50, "retries happen");
    for (task, mut revisions) in seen {
        assert!(revisions.is_sorted(), "{task}: {revisions:?}");
        revisions.dedup();
        assert_eq!(revisions, (1..=EVENTS).collect::<Vec<_>>(), "{task}");
    }
}

#[tokio::test]
async fn a_refused_event_is_parked_and_the_lane_goes_on() {
    let mut receiver = Receiver::start(|request| {
        Reply::Status(if request.number("a2a-event-sequence") == 2 { 404 } else { 200 })
    })
    .await;
    let (redis, store) = fixture(&receiver, "t1").await;
    change(&store, "t1", 2).await;
    let replica = Replica::start(store);
    for revision in 1..=3 {
        assert_eq!(receiver.next().await.number("a2a-event-sequence"), revision);
    }
    at_rest(&redis, "t1").await;
    assert_eq!(redis.dead().await, [("rejected".into(), 2, 404)]);
    replica.stop().await;
}

#[tokio::test]
async fn gone_holds_the_webhook() {
    let mut receiver = Receiver::start(|_| Reply::Status(410)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    change(&store, "t1", 1).await;
    let replica = Replica::start(store.clone());
    receiver.next().await;
    at_rest(&redis, "t1").await;
    assert_eq!(redis.lane_field("t1", "disabled").await.as_deref(), Some("gone"));
    change(&store, "t1", 1).await;
    at_rest(&redis, "t1").await;
    replica.stop().await;
    assert!(receiver.is_silent());
    assert!(redis.dead().await.is_empty());
}

#[tokio::test]
async fn the_end_of_a_webhook_is_the_end_of_its_deliveries() {
    let mut receiver = Receiver::start(|_| Reply::Status(503)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let replica = Replica::start(store.clone());
    receiver.next().await;
    let head = store.head("t1").await.unwrap().unwrap();
    store.delete_push(&head, "c", "").await.unwrap();
    at_rest(&redis, "t1").await;
    replica.stop().await;
    while !receiver.is_silent() {}
    assert_eq!(redis.lane_field("t1", "cursor").await, None);

    let replica = Replica::start(store.clone());
    change(&store, "t1", 1).await;
    at_rest(&redis, "t1").await;
    replica.stop().await;
    assert!(receiver.is_silent());
}

#[tokio::test]
async fn the_lane_of_a_dead_holder_is_taken_over() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    store.ensure_group().await.unwrap();
    let mut dead = store.join_group("dead");
    for batch in dead.next().await.unwrap() {
        store.fan_out(&batch).await.unwrap();
    }
    let shard = store.keyspace().shard_of("t1");
    let claimed = store.claim_lanes(shard, 10, LEASE_MS, "dead").await.unwrap();
    assert_eq!(claimed.lanes.len(), 1);
    let leased_at = clock::instant();

    let replica = Replica::start(store);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 1);
    assert!(leased_at.elapsed().as_millis() >= u128::from(LEASE_MS) - 50);
    at_rest(&redis, "t1").await;
    replica.stop().await;
}

/// What a dead replica read and did not fan out is fanned out by another.
#[tokio::test]
async fn the_changes_of_a_dead_reader_are_taken_over() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (_redis, store) = fixture(&receiver, "t1").await;
    store.ensure_group().await.unwrap();
    assert_eq!(store.join_group("dead").next().await.unwrap().len(), 1);

    let replica = Replica::start(store);
    receiver.next().await;
    replica.stop().await;
}

/// As after a Redis that lost its memory.
#[tokio::test]
async fn a_group_that_is_gone_is_made_again() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let replica = Replica::start(store.clone());
    receiver.next().await;
    let mut destroy = redis::cmd("XGROUP");
    destroy.arg("DESTROY").arg(format!("{PREFIX}changes")).arg("dispatcher");
    destroy.query_async::<()>(&mut redis.raw().await).await.unwrap();
    change(&store, "t1", 1).await;
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 2);
    at_rest(&redis, "t1").await;
    replica.stop().await;
    assert!(receiver.is_silent());
}

/// More failures than are remembered, and then a success.
#[tokio::test]
async fn the_last_attempts_are_remembered() {
    let mut receiver = Receiver::start(|request| {
        Reply::Status(if request.number("a2a-delivery-attempt") < 13 { 500 } else { 200 })
    })
    .await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let replica = Replica::start(store.clone());
    for _ in 1..=13 {
        receiver.next().await;
    }
    at_rest(&redis, "t1").await;
    let lane = PushLane { task: "t1".into(), config: "c".into() };
    let recent = store.lane_view(&lane).await.unwrap().unwrap().recent;
    let attempts: Vec<_> = recent.iter().map(|made| (made.attempt, made.outcome.as_str())).collect();
    assert_eq!(attempts.len(), 10);
    assert_eq!(attempts[..2], [(13, "2xx"), (12, "5xx")]);
    assert_eq!(attempts[9], (4, "5xx"));
    replica.stop().await;
}

#[tokio::test]
async fn silent_members_are_forgotten_unless_they_hold_something() {
    let receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (_redis, store) = fixture(&receiver, "t1").await;
    store.ensure_group().await.unwrap();
    let shard = store.keyspace().shard_of("t1");
    let held = store.join_group("holder").next().await.unwrap();
    let forget = || store.forget_members(shard, Duration::ZERO);
    assert_eq!(forget().await.unwrap(), 0);
    store.fan_out(&held[0]).await.unwrap();
    assert_eq!(store.forget_members(shard, Duration::from_secs(60)).await.unwrap(), 0);
    assert_eq!(forget().await.unwrap(), 1);
}

/// Makes as if processes had died during the first event of `t1`.
async fn deaths(redis: &Redis, count: u32) {
    let mut starts = redis::cmd("HSET");
    starts.arg(format!("{PREFIX}lane:t1/push/c")).arg("starts").arg(count);
    starts.query_async::<()>(&mut redis.raw().await).await.unwrap();
}

#[tokio::test]
async fn poison_is_parked_alone_after_three_deaths() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    change(&store, "t1", 1).await;
    deaths(&redis, 3).await;
    let replica = Replica::start(store);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 2);
    at_rest(&redis, "t1").await;
    assert_eq!(redis.dead().await, [("poison".into(), 1, 0)]);
    replica.stop().await;
}

#[tokio::test]
async fn two_deaths_do_not_make_poison() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    deaths(&redis, 2).await;
    let replica = Replica::start(store);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 1);
    at_rest(&redis, "t1").await;
    assert!(redis.dead().await.is_empty());
    replica.stop().await;
}

/// A lost reply makes a holder ask again.
#[tokio::test]
async fn a_start_that_is_asked_for_twice_is_one() {
    let receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (_redis, store) = fixture(&receiver, "t1").await;
    store.ensure_group().await.unwrap();
    for batch in store.join_group("reader").next().await.unwrap() {
        store.fan_out(&batch).await.unwrap();
    }
    let shard = store.keyspace().shard_of("t1");
    let lane = store.claim_lanes(shard, 1, LEASE_MS, "holder").await.unwrap().lanes.remove(0);
    let lease = Lease { lane, token: "holder".into(), lease_ms: LEASE_MS };
    for _ in 0..5 {
        let Next::Send(delivery) = store.load(&lease).await.unwrap() else { panic!("there is an event") };
        assert_eq!(delivery.starts, 1);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_parked_alone() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let mut raw = redis.raw().await;
    let mut event = redis::cmd("XADD");
    event.arg(format!("{PREFIX}events:t1")).arg("2-0").arg(&["kind", "x", "payload", "\u{1}\u{2}\u{3}"]);
    event.arg(&["trace", "", "id", "bad", "at", "0"]);
    event.query_async::<()>(&mut raw).await.unwrap();
    let mut revision = redis::cmd("HSET");
    revision.arg(format!("{PREFIX}task:t1")).arg("revision").arg(2);
    revision.query_async::<()>(&mut raw).await.unwrap();
    change(&store, "t1", 1).await;

    let replica = Replica::start(store);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 1);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 3);
    at_rest(&redis, "t1").await;
    assert_eq!(redis.dead().await, [("undecodable".into(), 2, 0)]);
    replica.stop().await;
}

#[tokio::test]
async fn a_token_that_no_header_carries_is_parked() {
    let receiver = Receiver::start(|_| Reply::Status(200)).await;
    let redis = Redis::start().await;
    let store = redis.store();
    let mut config = config("t1", &receiver.url());
    config.token = "a\nb".into();
    create(&store, "t1", config).await;
    let replica = Replica::start(store);
    at_rest(&redis, "t1").await;
    assert_eq!(redis.dead().await, [("rejected_config".into(), 1, 0)]);
    assert_eq!(receiver.connections(), 0);
    replica.stop().await;
}

#[tokio::test]
async fn a_full_origin_delays_and_loses_nothing() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let redis = Redis::start().await;
    let store = redis.store();
    let tasks: Vec<String> = (0..20).map(|n| format!("task{n}")).collect();
    for task in &tasks {
        create(&store, task, config(task, &receiver.url())).await;
    }
    let replica = Replica::with(store, loopback(), 1);
    for _ in &tasks {
        assert_eq!(receiver.next().await.number("a2a-delivery-attempt"), 1);
    }
    for task in &tasks {
        at_rest(&redis, task).await;
    }
    assert!(receiver.is_silent());
    replica.stop().await;
}

/// After two events that used up their attempts; enabled, it goes on with the third.
#[tokio::test]
async fn a_webhook_that_exhausts_event_after_event_is_held() {
    let failing = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let fails = failing.clone();
    let mut receiver = Receiver::start(move |_| {
        Reply::Status(if fails.load(std::sync::atomic::Ordering::SeqCst) { 500 } else { 200 })
    })
    .await;
    let (redis, store) = fixture(&receiver, "t1").await;
    change(&store, "t1", 3).await;
    let breaker = BreakerLimits { failures: 0, open: Duration::ZERO, open_cap: Duration::ZERO };
    let gate = GateLimits { attempts: 8, retries: 4, per_origin: 4, breaker };
    let replica = Replica::retrying(store.clone(), loopback(), gate, (3, Duration::from_millis(20)));
    for attempt in [1, 2, 3, 1, 2, 3] {
        assert_eq!(receiver.next().await.number("a2a-delivery-attempt"), attempt);
    }
    at_rest(&redis, "t1").await;
    assert_eq!(redis.lane_field("t1", "disabled").await.as_deref(), Some("exhausted"));
    assert_eq!(redis.dead().await, [("attempts".into(), 1, 500), ("attempts".into(), 2, 500)]);

    failing.store(false, std::sync::atomic::Ordering::SeqCst);
    let lane = PushLane { task: "t1".into(), config: "c".into() };
    assert!(store.resume_lane(&lane).await.unwrap());
    // Whoever makes it due also tells the replica; here the next change does.
    change(&store, "t1", 1).await;
    for revision in 3..=5 {
        assert_eq!(receiver.next().await.number("a2a-event-sequence"), revision);
    }
    replica.stop().await;
}

/// An attempt that the drain interrupts is not counted, and due at once for whoever is left.
#[tokio::test]
async fn a_stopping_replica_puts_its_lanes_back() {
    let answered = std::sync::atomic::AtomicBool::new(false);
    let mut receiver = Receiver::start(move |_| {
        let first = !answered.swap(true, std::sync::atomic::Ordering::SeqCst);
        if first { Reply::Silence } else { Reply::Status(200) }
    })
    .await;
    let (redis, store) = fixture(&receiver, "t1").await;
    let replica = Replica::start(store.clone());
    receiver.next().await;
    replica.stop().await;

    let replica = Replica::start(store);
    assert_eq!(receiver.next().await.number("a2a-delivery-attempt"), 1);
    at_rest(&redis, "t1").await;
    replica.stop().await;
}
