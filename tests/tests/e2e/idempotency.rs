//! `idempotency-key`: a send that may be sent again.

use a2a_proto::{
    a2a::{SendMessageRequest, SendMessageResponse, Task},
    agent::WorkItem,
};
use a2a_tests::{
    clients::{self, A2aClient},
    process::ServiceOptions,
    until,
};
use futures::future::join_all;
use tokio::task::JoinHandle;
use tonic::{Code, Request, Response, Status, Streaming};

use crate::{
    calls::{as_tenant, assert_bad_field, assert_refused, at_once, cancel, get, keyed, list, recorded},
    inspect::fingerprint,
    stage::{Replica, SOON, Stage, all, gist, next, state, streamed_task, task, text, transition},
};

const CALLERS: usize = 50;

#[tokio::test]
async fn the_same_key_makes_one_task_and_one_piece_of_work() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(4).await;
    let request = clients::send_and_return("hello");
    let first = send(&mut stage.client, "k", &request).await.unwrap();
    let again = send(&mut stage.client, "k", &request).await.unwrap();
    assert_eq!(again, first);
    assert_eq!(said(&next(&mut work).await), "hello");
    stage.submitted("another").await;
    assert_eq!(said(&next(&mut work).await), "another", "nothing else was handed out");
    assert_eq!(total(&mut stage.client, "").await, 2);
    assert_eq!(recorded(&stage.redis, &first.id).await, ["TaskCreated"]);
}

#[tokio::test]
async fn a_retry_is_answered_with_the_task_as_it_stands() {
    let mut stage = Stage::set().await;
    let request = clients::send_and_return("hello");
    let first = send(&mut stage.client, "k", &request).await.unwrap();
    stage.agent.start_working(transition(&first)).await.unwrap();
    assert_eq!(state(&send(&mut stage.client, "k", &request).await.unwrap()), "TASK_STATE_WORKING");
    stage.agent.complete_task(transition(&first)).await.unwrap();
    let last = send(&mut stage.client, "k", &request).await.unwrap();
    assert_eq!((&last.id, state(&last)), (&first.id, "TASK_STATE_COMPLETED"));
    assert_eq!(total(&mut stage.client, "").await, 1);
}

#[tokio::test]
async fn a_retry_of_a_blocking_send_waits_for_the_same_turn() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let request = clients::send("hello");
    let first = sending(&stage.client, keyed("k", request.clone()));
    let held = next(&mut work).await.task.unwrap();
    let second = sending(&stage.client, keyed("k", request.clone()));
    stage.agent.complete_task(transition(&held)).await.unwrap();
    let (first, second) = (answered(first).await, answered(second).await);
    assert_eq!((&first, state(&first)), (&second, "TASK_STATE_COMPLETED"));
    let late = tokio::time::timeout(SOON, send(&mut stage.client, "k", &request)).await;
    assert_eq!(late.expect("the turn is over").unwrap(), first);
}

#[tokio::test]
async fn a_retry_of_a_stream_follows_the_same_task() {
    let mut stage = Stage::set().await;
    let request = clients::send("hello");
    let mut first = stream(&mut stage.client, "k", &request).await;
    let task = streamed_task(next(&mut first).await);
    stage.agent.start_working(transition(&task)).await.unwrap();
    let mut second = stream(&mut stage.client, "k", &request).await;
    let found = streamed_task(next(&mut second).await);
    assert_eq!((&found.id, state(&found)), (&task.id, "TASK_STATE_WORKING"));
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(all(second).await.iter().map(gist).collect::<Vec<_>>(), ["TASK_STATE_COMPLETED"]);
    let late = stream(&mut stage.client, "k", &request).await;
    assert_eq!(all(late).await.iter().map(gist).collect::<Vec<_>>(), ["task TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn another_body_under_the_same_key_is_refused() {
    let mut stage = Stage::set().await;
    send(&mut stage.client, "k", &clients::send_and_return("hello")).await.unwrap();
    let before = fingerprint(&stage.redis).await;
    let refused = send(&mut stage.client, "k", &clients::send_and_return("goodbye")).await.unwrap_err();
    assert_bad_field(&refused, "idempotency-key");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

#[tokio::test]
async fn callers_of_two_replicas_at_the_same_instant_get_one_task() {
    let mut stage = Stage::set().await;
    let mut other = Replica::start(&stage.redis, ServiceOptions::default()).await;
    let mut work =
        other.agent.receive_work(a2a_proto::agent::ReceiveWorkRequest::default()).await.unwrap().into_inner();
    let request = clients::send_and_return("hello");
    let clients = [stage.client.clone(), other.client.clone()];
    let calls = (0..CALLERS).map(|caller| sending(&clients[caller % 2], keyed("k", request.clone())));
    let tasks = join_all(calls.collect::<Vec<_>>().into_iter().map(answered)).await;
    assert!(tasks.iter().all(|task| task == &tasks[0]), "{tasks:?}");
    assert_eq!(total(&mut stage.client, "").await, 1);
    assert_eq!(recorded(&stage.redis, &tasks[0].id).await, ["TaskCreated"]);
    assert_eq!(said(&next(&mut work).await), "hello");
    other.client.send_message(clients::send_and_return("another")).await.unwrap();
    assert_eq!(said(&next(&mut work).await), "another", "nothing else was handed out");
}

#[tokio::test]
async fn an_answer_lost_with_its_replica_comes_from_another() {
    let mut stage = Stage::set().await;
    let mut other = Replica::start(&stage.redis, ServiceOptions::default()).await;
    let mut work =
        other.agent.receive_work(a2a_proto::agent::ReceiveWorkRequest::default()).await.unwrap().into_inner();
    let request = clients::send("hello");
    let lost = sending(&stage.client, keyed("k", request.clone()));
    let held = next(&mut work).await.task.unwrap();
    stage.service.kill().await;
    lost.await.unwrap().unwrap_err();
    let retry = sending(&other.client, keyed("k", request));
    other.agent.complete_task(transition(&held)).await.unwrap();
    let found = answered(retry).await;
    assert_eq!((&found.id, state(&found)), (&held.id, "TASK_STATE_COMPLETED"));
    assert_eq!(total(&mut other.client, "").await, 1);
}

#[tokio::test]
async fn a_follow_up_sent_again_is_taken_once() {
    let mut stage = Stage::set().await;
    let started = stage.working("hello").await;
    let more = at_once(clients::follow_up(&started, "more"));
    send(&mut stage.client, "k", &more).await.unwrap();
    send(&mut stage.client, "k", &more).await.unwrap();
    assert_history(&mut stage, &started, &["hello", "more"]).await;
    stage.agent.require_input(transition(&started)).await.unwrap();
    send(&mut stage.client, "other", &at_once(clients::follow_up(&started, "and more"))).await.unwrap();
    send(&mut stage.client, "k", &more).await.unwrap();
    assert_history(&mut stage, &started, &["hello", "more", "and more"]).await;
    stage.client.cancel_task(cancel(&started.id)).await.unwrap();
    assert_eq!(state(&send(&mut stage.client, "k", &more).await.unwrap()), "TASK_STATE_CANCELED");
    let changes = recorded(&stage.redis, &started.id).await;
    assert_eq!(changes.iter().filter(|kind| *kind == "TaskMessageReceived").count(), 2);
    let late = at_once(clients::follow_up(&started, "late"));
    let refused = send(&mut stage.client, "late", &late).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn a_blocking_follow_up_sent_again_is_answered_with_the_turn_that_it_began() {
    let mut stage = Stage::set().await;
    let started = stage.working("hello").await;
    stage.agent.require_input(transition(&started)).await.unwrap();
    let more = clients::follow_up(&started, "more");
    let mut work = stage.worker(1).await;
    let first = sending(&stage.client, keyed("k", more.clone()));
    loop {
        if said(&next(&mut work).await) == "more" {
            break;
        }
    }
    let second = sending(&stage.client, keyed("k", more.clone()));
    stage.agent.complete_task(transition(&started)).await.unwrap();
    assert_eq!(answered(first).await, answered(second).await);
    let late = tokio::time::timeout(SOON, send(&mut stage.client, "k", &more)).await;
    assert_eq!(state(&late.expect("the turn is over").unwrap()), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn follow_ups_at_the_same_instant_are_taken_once() {
    let mut stage = Stage::set().await;
    let other = Replica::start(&stage.redis, ServiceOptions::default()).await;
    let started = stage.working("hello").await;
    let more = at_once(clients::follow_up(&started, "more"));
    let clients = [stage.client.clone(), other.client.clone()];
    let calls = (0..CALLERS).map(|caller| sending(&clients[caller % 2], keyed("k", more.clone())));
    join_all(calls.collect::<Vec<_>>().into_iter().map(answered)).await;
    assert_history(&mut stage, &started, &["hello", "more"]).await;
}

#[tokio::test]
async fn keys_of_different_tenants_do_not_meet() {
    let mut stage = Stage::set().await;
    let request = clients::send_and_return("hello");
    let mut ids = Vec::new();
    for tenant in ["", "acme", "globex"] {
        ids.push(send(&mut stage.client, "k", &as_tenant(tenant, request.clone())).await.unwrap().id);
        assert_eq!(total(&mut stage.client, tenant).await, 1);
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn what_is_no_key_is_refused() {
    let mut stage = Stage::set().await;
    stage.submitted("something to lose").await;
    let before = fingerprint(&stage.redis).await;
    let long = "k".repeat(257);
    for key in ["", "two words", &long] {
        let refused = send(&mut stage.client, key, &clients::send_and_return("hello")).await.unwrap_err();
        assert_bad_field(&refused, "idempotency-key");
    }
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    send(&mut stage.client, &long[1..], &clients::send_and_return("hello")).await.expect("the longest key");
}

#[tokio::test]
async fn without_the_setting_a_message_id_is_no_key() {
    let mut stage = Stage::set().await;
    let request = clients::send_and_return("hello");
    let first = task(stage.client.send_message(request.clone()).await.unwrap().into_inner());
    let second = task(stage.client.send_message(request).await.unwrap().into_inner());
    assert_ne!(first.id, second.id);
}

#[tokio::test]
async fn a_message_id_may_be_the_key() {
    let options = ServiceOptions::default().switch("message-id-is-idempotency-key");
    let mut stage = Stage::set_with(options).await;
    let request = clients::send_and_return("hello");
    let first = task(stage.client.send_message(request.clone()).await.unwrap().into_inner());
    let again = task(stage.client.send_message(request.clone()).await.unwrap().into_inner());
    assert_eq!(first.id, again.id);
    let named = send(&mut stage.client, "k", &request).await.unwrap();
    assert_ne!(named.id, first.id, "a key that is given comes first");
    let same_text = send(&mut stage.client, "message", &request).await.unwrap();
    assert_ne!(same_text.id, first.id);
}

#[tokio::test]
async fn a_key_is_forgotten_after_its_time() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("idempotency-ms", 1_000)).await;
    let request = clients::send_and_return("hello");
    let first = send(&mut stage.client, "k", &request).await.unwrap();
    let client = stage.client.clone();
    until("the key is forgotten", SOON, async || {
        (send(&mut client.clone(), "k", &request).await.unwrap().id != first.id).then_some(())
    })
    .await;
    assert_eq!(total(&mut stage.client, "").await, 2);
}

#[tokio::test]
async fn a_task_that_outgrew_its_log_is_known_again() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("log-max-events", 100)).await;
    let request = clients::send_and_return("hello");
    let first = send(&mut stage.client, "k", &request).await.unwrap();
    crate::resumption::outgrow_the_log(&mut stage.agent, &first).await;
    assert_eq!(send(&mut stage.client, "k", &request).await.unwrap().id, first.id);
    assert_eq!(total(&mut stage.client, "").await, 1);
}

#[tokio::test]
async fn a_retry_is_no_further_task_of_its_tenant() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-tasks-per-tenant", 2)).await;
    let request = clients::send_and_return("hello");
    let first = send(&mut stage.client, "k", &request).await.unwrap();
    assert_eq!(send(&mut stage.client, "k", &request).await.unwrap().id, first.id);
    stage.submitted("the last").await;
    assert_eq!(send(&mut stage.client, "k", &request).await.unwrap().id, first.id);
    let refused = send(&mut stage.client, "other", &request).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
}

#[tokio::test]
async fn a_refused_send_may_be_sent_again_under_its_key() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-history-messages", 2)).await;
    let started = stage.working("hello").await;
    stage.client.send_message(at_once(clients::follow_up(&started, "more"))).await.unwrap();
    let late = at_once(clients::follow_up(&started, "too much"));
    for _ in 0..2 {
        let refused = send(&mut stage.client, "k", &late).await.unwrap_err();
        assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    }
    assert_history(&mut stage, &started, &["hello", "more"]).await;
}

type Sent = Result<Response<SendMessageResponse>, Status>;

async fn send(client: &mut A2aClient, key: &str, request: &SendMessageRequest) -> Result<Task, Status> {
    client.send_message(keyed(key, request.clone())).await.map(|answer| task(answer.into_inner()))
}

fn sending(client: &A2aClient, request: Request<SendMessageRequest>) -> JoinHandle<Sent> {
    let mut client = client.clone();
    tokio::spawn(async move { client.send_message(request).await })
}

async fn answered(call: JoinHandle<Sent>) -> Task {
    let answer = tokio::time::timeout(SOON, call).await.expect("in time");
    task(answer.expect("no panic").expect("an answer").into_inner())
}

async fn stream(
    client: &mut A2aClient,
    key: &str,
    request: &SendMessageRequest,
) -> Streaming<a2a_proto::a2a::StreamResponse> {
    client.send_streaming_message(keyed(key, request.clone())).await.expect("a stream").into_inner()
}

async fn total(client: &mut A2aClient, tenant: &str) -> i32 {
    client.list_tasks(list(tenant)).await.expect("a page").into_inner().total_size
}

fn said(item: &WorkItem) -> String {
    let message = item.request.as_ref().and_then(|request| request.message.as_ref()).expect("a message");
    text(&message.parts[0]).to_owned()
}

async fn assert_history(stage: &mut Stage, task: &Task, texts: &[&str]) {
    let found = stage.client.get_task(get(&task.id)).await.expect("a task").into_inner();
    assert_eq!(found.history.iter().map(|message| text(&message.parts[0])).collect::<Vec<_>>(), texts);
}
