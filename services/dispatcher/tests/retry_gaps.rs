//! A retry comes when it is due: never before, and hardly after.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
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

const TASKS: usize = 60;
const CEILING: Duration = Duration::from_secs(2);
/// What is asked of a machine that has nothing else to do.
const LATE_MS: i64 = 50;

/// When each attempt arrived, by the path it came on.
type Arrivals = Arc<Mutex<HashMap<String, Vec<i64>>>>;

async fn failing(arrivals: Arrivals) -> Receiver {
    Receiver::start(move |request| {
        let path = request.request_line.split(' ').nth(1).unwrap().to_owned();
        arrivals.lock().unwrap().entry(path).or_default().push(clock::unix_ms());
        Reply::Status(500)
    })
    .await
}

/// The due time of the second attempt; none when it was begun before anybody looked.
async fn second_due(store: &Store, task: &str) -> Option<i64> {
    let lane = PushLane { task: task.to_owned(), config: "c".to_owned() };
    soon(async {
        loop {
            let view = store.lane_view(&lane).await.unwrap().unwrap();
            match (view.attempts, view.due_at_ms) {
                (0, _) => tokio::task::yield_now().await,
                (1, Some(due)) => return Some(due),
                _ => return None,
            }
        }
    })
    .await
}

/// Each task fails once, and its due time is noted; how late the second attempt came is the difference.
#[tokio::test]
async fn a_retry_comes_at_its_due_time() {
    let arrivals = Arrivals::default();
    let mut receiver = failing(arrivals.clone()).await;
    let redis = Redis::start().await;
    let store = redis.store();
    let breaker = BreakerLimits { failures: 0, open: CEILING, open_cap: CEILING };
    let gate = GateLimits { attempts: 64, retries: 64, per_origin: 64, breaker };
    let replica = Replica::retrying(store.clone(), loopback(), gate, (2, CEILING));

    let mut dues = Vec::new();
    for n in 0..TASKS {
        let task = format!("t{n}");
        create(&store, &task, config(&task, &format!("http://{}/{task}", receiver.addr))).await;
        dues.push((second_due(&store, &task).await, format!("/{task}")));
    }
    for _ in 0..2 * TASKS {
        receiver.next().await;
    }
    replica.stop().await;

    let arrivals = arrivals.lock().unwrap();
    let late = |(due, path): &(Option<i64>, String)| due.map(|due| arrivals[path][1] - due);
    let mut late: Vec<i64> = dues.iter().filter_map(late).collect();
    late.sort_unstable();
    let (seen, median, most) = (late.len(), late[late.len() / 2], late[late.len() - 1]);
    println!("retries late by: median {median} ms, at most {most} ms, of {seen} in {TASKS}");
    assert!(seen * 10 > TASKS * 8, "only {seen} of {TASKS} due times were seen");
    assert!(late[0] >= 0, "an attempt came {} ms before it was due", -late[0]);
    // The worst of them belongs to the machine's scheduler as much as to ours.
    assert!(late[seen * 9 / 10] <= LATE_MS, "late by, in ms: {late:?}");
}
