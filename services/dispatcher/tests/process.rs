//! The binary: start, stop, probes, and what operators ask.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use a2a_proto::push::push_admin_service_client::PushAdminServiceClient;
use a2a_proto::push::{
    DeadLetter, DeadLetterFilter, Delivery, DisableConfigRequest, EnableConfigRequest, GetDeliveryRequest,
    ListDeadLettersRequest, ListDeliveriesRequest, ReplayDeadLettersRequest,
};
use a2a_runtime::clock;
use support::process::{Process, output};
use support::receiver::{Receiver, Reply};
use support::redis::{Redis, free_port};
use support::soon;
use support::tasks::{change, config, create};
use tonic::Code;
use tonic::transport::Channel;

type Operator = PushAdminServiceClient<Channel>;

/// From SIGTERM to the exit, with nothing in progress.
const IDLE_EXIT: Duration = Duration::from_millis(500);

async fn delivery(operator: &mut Operator) -> Delivery {
    let request = GetDeliveryRequest { task_id: "t1".into(), config_id: "c".into() };
    operator.get_delivery(request).await.unwrap().into_inner()
}

/// Asks until the delivery is as expected.
async fn until(operator: &mut Operator, expected: impl Fn(&Delivery) -> bool) -> Delivery {
    soon(async {
        loop {
            let delivery = delivery(operator).await;
            if expected(&delivery) {
                return delivery;
            }
        }
    })
    .await
}

async fn letters(operator: &mut Operator, filter: DeadLetterFilter) -> Vec<DeadLetter> {
    let request = ListDeadLettersRequest { filter: Some(filter), ..ListDeadLettersRequest::default() };
    operator.list_dead_letters(request).await.unwrap().into_inner().dead_letters
}

/// A receiver that answers what the number says.
async fn switched() -> (Receiver, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let answer = status.clone();
    (Receiver::start(move |_| Reply::Status(answer.load(Ordering::SeqCst))).await, status)
}

#[tokio::test]
async fn dead_letters_are_listed_and_sent_again_under_their_ids() {
    let (mut receiver, status) = switched().await;
    let redis = Redis::start().await;
    let store = redis.store();
    let process = Process::start(&redis.url()).await;
    let mut operator = process.operator().await;
    status.store(404, Ordering::SeqCst);
    create(&store, "t1", config("t1", &receiver.url())).await;
    change(&store, "t1", 1).await;
    let first = receiver.next().await;
    let second = receiver.next().await;

    let stuck = until(&mut operator, |delivery| delivery.consecutive_dead_letters == 2).await;
    assert_eq!((stuck.cursor, stuck.pending, stuck.last_status), (2, 0, 404));
    assert_eq!(stuck.last_failure, "rejected");
    let recent: Vec<_> =
        stuck.recent_attempts.iter().map(|attempt| (attempt.revision, attempt.status)).collect();
    assert_eq!(recent, [(2, 404), (1, 404)]);
    assert_eq!(stuck.origin, format!("http://{}", receiver.addr));
    let dead = letters(&mut operator, DeadLetterFilter::default()).await;
    assert_eq!(dead.iter().map(|letter| letter.revision).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(Some(dead[0].webhook_id.as_str()), first.header("webhook-id"));
    let of_other = DeadLetterFilter { task_id: "t2".into(), ..DeadLetterFilter::default() };
    assert!(letters(&mut operator, of_other).await.is_empty());

    let refused = operator.replay_dead_letters(ReplayDeadLettersRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    status.store(200, Ordering::SeqCst);
    let filter = DeadLetterFilter { ids: vec![dead[1].id.clone()], ..DeadLetterFilter::default() };
    let request = ReplayDeadLettersRequest { filter: Some(filter), all: false };
    assert_eq!(operator.replay_dead_letters(request).await.unwrap().into_inner().replayed, 1);
    let again = receiver.next().await;
    assert_eq!(again.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(again.body, second.body);
    until(&mut operator, |delivery| delivery.last_failure.is_empty()).await;

    let left = letters(&mut operator, DeadLetterFilter::default()).await;
    assert_eq!(left.iter().map(|letter| letter.revision).collect::<Vec<_>>(), [1]);
    let all = ReplayDeadLettersRequest { filter: None, all: true };
    assert_eq!(operator.replay_dead_letters(all).await.unwrap().into_inner().replayed, 1);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 1);
    change(&store, "t1", 1).await;
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 3);
    until(&mut operator, |delivery| delivery.cursor == 3).await;
    assert!(letters(&mut operator, DeadLetterFilter::default()).await.is_empty());
    assert!(process.terminate().await.success());
}

#[tokio::test]
async fn a_held_webhook_goes_on_where_it_stopped() {
    let (mut receiver, _status) = switched().await;
    let redis = Redis::start().await;
    let store = redis.store();
    let process = Process::start(&redis.url()).await;
    let mut operator = process.operator().await;
    create(&store, "t1", config("t1", &receiver.url())).await;
    receiver.next().await;
    until(&mut operator, |delivery| delivery.last_success_at.is_some()).await;

    let hold = DisableConfigRequest { task_id: "t1".into(), config_id: "c".into(), reason: "moving".into() };
    let held = operator.disable_config(hold).await.unwrap().into_inner();
    assert_eq!(held.disabled_reason, "moving");
    change(&store, "t1", 2).await;
    let held = until(&mut operator, |delivery| delivery.next_attempt_at.is_none()).await;
    assert_eq!(held.pending, 2);
    assert!(held.oldest_pending_at.is_some());
    assert!(receiver.is_silent());

    let resume = EnableConfigRequest { task_id: "t1".into(), config_id: "c".into() };
    assert_eq!(operator.enable_config(resume).await.unwrap().into_inner().disabled_reason, "");
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 2);
    assert_eq!(receiver.next().await.number("a2a-event-sequence"), 3);

    let missing = EnableConfigRequest { task_id: "t1".into(), config_id: "other".into() };
    assert_eq!(operator.enable_config(missing).await.unwrap_err().code(), Code::NotFound);
    assert!(process.terminate().await.success());
}

#[tokio::test]
async fn deliveries_are_listed_by_pages() {
    let (receiver, _status) = switched().await;
    let redis = Redis::start().await;
    let store = redis.store();
    for n in 0..5 {
        let task = format!("task{n}");
        create(&store, &task, config(&task, &receiver.url())).await;
    }
    let process = Process::start(&redis.url()).await;
    let mut operator = process.operator().await;
    let mut seen = Vec::new();
    let mut request = ListDeliveriesRequest { page_size: 2, ..ListDeliveriesRequest::default() };
    loop {
        let page = operator.list_deliveries(request.clone()).await.unwrap().into_inner();
        assert!(page.deliveries.len() <= 2);
        seen.extend(page.deliveries.into_iter().map(|delivery| delivery.task_id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    seen.sort();
    assert_eq!(seen, ["task0", "task1", "task2", "task3", "task4"]);

    let of_one = ListDeliveriesRequest { task_id: "task3".into(), ..ListDeliveriesRequest::default() };
    let page = operator.list_deliveries(of_one).await.unwrap().into_inner();
    assert_eq!(page.deliveries.len(), 1);
    let too_many = ListDeliveriesRequest { page_size: 101, ..ListDeliveriesRequest::default() };
    assert_eq!(operator.list_deliveries(too_many).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn a_start_before_redis_waits_for_it() {
    let (mut receiver, _status) = switched().await;
    let port = free_port();
    let process = Process::start(&format!("redis://127.0.0.1:{port}")).await;
    assert_eq!(process.page("/readyz").await.0, 503);

    let redis = Redis::start_on(port).await;
    create(&redis.store(), "t1", config("t1", &receiver.url())).await;
    receiver.next().await;
    assert_eq!(process.page("/readyz").await.0, 200);
    soon(async { while !process.page("/metrics").await.1.contains("a2a_events_delivered_total 1\n") {} })
        .await;
    assert!(process.terminate().await.success());
}

#[tokio::test]
async fn an_idle_one_is_gone_at_once() {
    let redis = Redis::start().await;
    let process = Process::start(&redis.url()).await;
    soon(async { while process.page("/readyz").await.0 != 200 {} }).await;
    let asked = clock::instant();
    assert!(process.terminate().await.success());
    let took = asked.elapsed();
    println!("from SIGTERM to the exit: {took:?}");
    assert!(took < IDLE_EXIT, "{took:?}");
}

#[tokio::test]
async fn what_does_not_go_together_stops_the_start() {
    let ended = output(&["--webhook-timeout-ms", "14001"]).await;
    assert!(!ended.status.success());
    let error = String::from_utf8(ended.stderr).unwrap();
    assert!(error.contains("--webhook-timeout-ms 14000 or less"), "{error}");
}

#[tokio::test]
async fn another_number_of_shards_stops_the_start() {
    let redis = Redis::start().await;
    let ended =
        output(&["--redis-url", &redis.url(), "--key-prefix", "t:", "--shards", "2", "--plaintext-secrets"])
            .await;
    assert!(!ended.status.success());
    let error = String::from_utf8(ended.stderr).unwrap();
    assert!(error.contains("write --shards 1"), "{error}");
}
