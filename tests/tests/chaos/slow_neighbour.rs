//! A webhook that hangs must not slow the others down.

use std::{collections::HashMap, time::Duration};

use a2a_proto::a2a::SendMessageRequest;
use a2a_tests::{
    clients::{push_config, send_and_return, with_push},
    ledger::{Ledger, Owed},
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, Recorded, WebhookReceiver},
    redis::{RedisOptions, RedisServer},
};
use futures::future::join_all;
use tokio::time::interval;

use crate::{calls::PATIENCE, doors::Doors, machine, size::sized, walk::Walk};

const HANG: Duration = Duration::from_secs(10);
const PER_ORIGIN: usize = 32;
/// 50 events a second.
const EVERY: Duration = Duration::from_millis(20);
/// Latencies below this say more about the machine than about the neighbour.
const NOISE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_hanging_webhook_delays_nobody_else() {
    let _machine = machine::alone().await;
    let redis = RedisServer::start(RedisOptions::default()).await;
    let service = TaskService::start(&redis, ServiceOptions::default()).await;
    let options = ServiceOptions::default()
        .flag("max-concurrent-per-origin", PER_ORIGIN)
        .flag("webhook-timeout-ms", 12_000);
    let _dispatcher = Dispatcher::start(&redis, options).await;
    let healthy = WebhookReceiver::start(Behaviour::Accept).await;
    let hanging = WebhookReceiver::start(Behaviour::Delay(HANG)).await;
    let doors = Doors::open(&[&service]).await;
    let (steady, slow) = (sized(200, 500), sized(200, 800));

    let mut books = Ledger::default();
    let before = steadily(&doors, "before", steady, &healthy).await;
    let mut slow_books = Ledger::default();
    for walk in at_once(&doors, slow, &hanging).await {
        owe(&mut slow_books, "slow", &walk);
    }
    hanging.await_count(PER_ORIGIN, PATIENCE).await;
    let beside = steadily(&doors, "beside", steady, &healthy).await;
    // Those that hang end by themselves; what waits behind them need not hang too.
    hanging.otherwise(Behaviour::Accept);
    slow_books.assert_delivered(&hanging.await_events(slow, PATIENCE).await);
    let after = steadily(&doors, "after", steady, &healthy).await;

    for (config, made) in [("before", &before), ("beside", &beside), ("after", &after)] {
        made.iter().for_each(|made| owe(&mut books, config, &made.walk));
    }
    let recorded = healthy.await_events(3 * steady, PATIENCE).await;
    books.assert_delivered(&recorded);
    let [before, beside, after] = [before, beside, after].map(|made| p99(&recorded, &made));
    let most = hanging.most_at_once();
    println!(
        "slow_neighbour: p99 {before:.1?} before, {beside:.1?} beside {slow} events to a webhook that hangs {HANG:?}, \
         {after:.1?} after; {most} of {PER_ORIGIN} requests at once there"
    );
    assert!(most <= PER_ORIGIN, "{most} requests at once");
    assert!(beside <= (before.max(after) * 2).max(NOISE), "a hanging webhook slows its neighbour down");
}

/// A task, and when it was asked for by the clock of its receiver.
struct Made {
    at: Duration,
    walk: Walk,
}

/// Makes a task, and so an event, every so often.
async fn steadily(doors: &Doors, name: &str, count: usize, receiver: &WebhookReceiver) -> Vec<Made> {
    let mut ticks = interval(EVERY);
    let mut made = Vec::new();
    for number in 0..count {
        ticks.tick().await;
        let at = receiver.elapsed();
        let walk = Walk::begin(doors, &format!("{name}-{number}"), hooked(name, receiver)).await;
        made.push(Made { at, walk });
    }
    made
}

async fn at_once(doors: &Doors, count: usize, receiver: &WebhookReceiver) -> Vec<Walk> {
    let begin =
        |number| async move { Walk::begin(doors, &format!("slow-{number}"), hooked("slow", receiver)).await };
    join_all((0..count).map(begin)).await
}

fn hooked(name: &str, receiver: &WebhookReceiver) -> SendMessageRequest {
    with_push(send_and_return(name), push_config(name, &receiver.url(&format!("/hooks/{name}"))))
}

fn owe(books: &mut Ledger, config: &str, walk: &Walk) {
    books.owe(&walk.task.id, config, [Owed::Revision(1)]);
}

/// Of the times from the call that makes an event to its arrival.
fn p99(recorded: &[Recorded], made: &[Made]) -> Duration {
    let arrivals: HashMap<&str, Duration> =
        recorded.iter().map(|request| (request.task_id(), request.at)).collect();
    let mut latencies: Vec<Duration> =
        made.iter().map(|made| arrivals[made.walk.task.id.as_str()].saturating_sub(made.at)).collect();
    latencies.sort_unstable();
    latencies[latencies.len() * 99 / 100 - 1]
}
