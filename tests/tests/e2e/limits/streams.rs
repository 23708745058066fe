//! Open streams of a caller on a replica.

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest, Task};
use a2a_tests::{
    clients::{self, A2aClient},
    process::ServiceOptions,
    until,
};
use futures::future::join_all;
use tonic::{Code, Status, Streaming};

use crate::{
    calls::{NO_TASK, as_tenant, assert_not_found, assert_refused, list, subscribe, to_task},
    inspect::fingerprint,
    stage::{SOON, Stage, all, next, task, transition},
};

const CALLERS: usize = 50;
const MOST: usize = 5;

async fn limited() -> (Stage, Task) {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-streams-per-caller", MOST)).await;
    let task = stage.working("hello").await;
    (stage, task)
}

async fn open(client: &A2aClient, task: &Task) -> Result<Streaming<StreamResponse>, Status> {
    client.clone().subscribe_to_task(subscribe(&task.id)).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn exactly_so_many_are_open_and_a_closed_one_gives_its_place_back() {
    let (mut stage, task) = limited().await;
    let opened = join_all((0..CALLERS).map(|_| open(&stage.client, &task))).await;
    let (mut streams, refused): (Vec<_>, Vec<_>) = opened.into_iter().partition(Result::is_ok);
    assert_eq!(streams.len(), MOST);
    for refused in refused {
        assert_refused(&refused.unwrap_err(), Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    }
    streams.pop();
    let again = until("a place is free", SOON, async || open(&stage.client, &task).await.ok()).await;
    let refused = open(&stage.client, &task).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");

    stage.agent.complete_task(transition(&task)).await.unwrap();
    all(again).await;
    let other = stage.submitted("another").await;
    let opened = join_all((0..CALLERS).map(|_| open(&stage.client, &other))).await;
    assert_eq!(opened.iter().filter(|stream| stream.is_ok()).count(), MOST, "ended streams hold no place");
    drop(streams);
}

#[tokio::test]
async fn each_tenant_has_its_own() {
    let (mut stage, task) = limited().await;
    let _streams = join_all((0..MOST).map(|_| open(&stage.client, &task))).await;
    let request = as_tenant("acme", clients::send_and_return("hello"));
    let theirs = crate::stage::task(stage.client.send_message(request).await.unwrap().into_inner());
    let request = SubscribeToTaskRequest { tenant: "acme".to_owned(), ..subscribe(&theirs.id) };
    let mut events = stage.client.subscribe_to_task(request).await.unwrap().into_inner();
    next(&mut events).await;
}

#[tokio::test]
async fn a_message_that_could_not_be_followed_is_not_taken() {
    let (mut stage, started) = limited().await;
    let _streams = join_all((0..MOST).map(|_| open(&stage.client, &started))).await;
    let before = fingerprint(&stage.redis).await;
    for request in [clients::send("hello"), clients::follow_up(&started, "more")] {
        let refused = stage.client.send_streaming_message(request).await.unwrap_err();
        assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    }
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().total_size, 1);
    task(stage.client.send_message(clients::send_and_return("no stream")).await.unwrap().into_inner());
}

#[tokio::test]
async fn other_refusals_come_first() {
    let (mut stage, started) = limited().await;
    let ended = stage.working("another").await;
    stage.agent.complete_task(transition(&ended)).await.unwrap();
    let _streams = join_all((0..MOST).map(|_| open(&stage.client, &started))).await;
    assert_not_found(&stage.client.subscribe_to_task(subscribe(NO_TASK)).await.unwrap_err());
    assert_not_found(&stage.client.send_streaming_message(to_task(NO_TASK, "hello")).await.unwrap_err());
    let refused = stage.client.subscribe_to_task(subscribe(&ended.id)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let refused = stage.client.send_streaming_message(to_task(&ended.id, "hello")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}
