//! SIGTERM.

use std::time::Duration;

use a2a_proto::a2a::{CancelTaskRequest, SubscribeToTaskRequest, Task};
use a2a_tests::{process::ServiceOptions, redis::RedisServer, until};
use redis::AsyncCommands as _;
use tonic::{Code, Streaming};

use crate::stage::{SOON, Stage, next, state};

/// As many as there are by default.
const SHARDS: usize = 16;
const IDLE_EXIT: Duration = Duration::from_millis(500);

#[tokio::test]
async fn an_idle_service_is_gone_at_once() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let work = stage.worker(1).await;
    let events = subscribe(&mut stage, &task).await;
    stage.service.sigterm();
    let status = stage.service.wait_exit(IDLE_EXIT).await;
    assert!(status.success(), "{status}");
    drop((work, events));
}

#[tokio::test]
async fn streams_end_unavailable() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let task = stage.submitted("hello").await;
    next(&mut work).await;
    let mut events = subscribe(&mut stage, &task).await;
    let waiting = stage.send_in_background(a2a_tests::clients::follow_up(&task, "more"));
    next(&mut work).await;
    stage.service.sigterm();
    assert_unavailable(&mut events).await;
    assert_unavailable(&mut work).await;
    let status = waiting.await.expect("no panic").expect_err("the wait ends");
    assert_eq!(status.code(), Code::Unavailable);
    assert!(stage.service.wait_exit(SOON).await.success());
}

#[tokio::test]
async fn a_call_in_flight_is_answered_while_readiness_is_gone() {
    let mut stage = Stage::set_with(quiet(ServiceOptions::default())).await;
    settle(&stage).await;
    let task = stage.submitted("hello").await;
    hold_writes(&stage.redis, true).await;
    let canceled = cancel_in_background(&stage, &task);
    until("the write waits in redis", SOON, async || writes_wait(&stage.redis).await.then_some(())).await;
    stage.service.sigterm();
    until("readiness is gone", SOON, async || (readiness(&stage).await? == 503).then_some(())).await;
    assert!(!canceled.is_finished());
    hold_writes(&stage.redis, false).await;
    let canceled = canceled.await.expect("no panic").expect("an answer");
    assert_eq!(state(&canceled), "TASK_STATE_CANCELED");
    assert!(stage.service.wait_exit(SOON).await.success());
}

#[tokio::test]
async fn a_call_that_does_not_end_is_cut_off_after_the_drain() {
    let options = ServiceOptions::default().flag("drain-ms", 300).flag("redis-timeout-ms", 60_000);
    let mut stage = Stage::set_with(quiet(options.flag("redis-patience-ms", 60_000))).await;
    settle(&stage).await;
    let task = stage.submitted("hello").await;
    hold_writes(&stage.redis, true).await;
    let canceled = cancel_in_background(&stage, &task);
    until("the write waits in redis", SOON, async || writes_wait(&stage.redis).await.then_some(())).await;
    stage.service.sigterm();
    let status = stage.service.wait_exit(Duration::from_secs(5)).await;
    assert_eq!(status.code(), Some(1), "work was left unfinished");
    canceled.await.expect("no panic").expect_err("no answer");
}

async fn subscribe(stage: &mut Stage, task: &Task) -> Streaming<a2a_proto::a2a::StreamResponse> {
    let request = SubscribeToTaskRequest { id: task.id.clone(), ..SubscribeToTaskRequest::default() };
    let mut events = stage.client.subscribe_to_task(request).await.expect("subscribe").into_inner();
    next(&mut events).await;
    events
}

async fn assert_unavailable<T: std::fmt::Debug>(stream: &mut Streaming<T>) {
    let end = tokio::time::timeout(SOON, stream.message()).await.expect("in time");
    assert_eq!(end.expect_err("an end for the service's own reasons").code(), Code::Unavailable);
}

fn cancel_in_background(stage: &Stage, task: &Task) -> tokio::task::JoinHandle<Result<Task, tonic::Status>> {
    let (mut client, id) = (stage.client.clone(), task.id.clone());
    let cancel = CancelTaskRequest { id, ..CancelTaskRequest::default() };
    tokio::spawn(async move { client.cancel_task(cancel).await.map(tonic::Response::into_inner) })
}

/// No script of the service's own is to be taken for the call.
fn quiet(options: ServiceOptions) -> ServiceOptions {
    options.flag("task-retention-ms", 0).flag("dead-letter-retention-ms", 0)
}

/// Waits until the service is ready and its janitor has made its first round,
/// so that no write of its own is in the way of the call.
async fn settle(stage: &Stage) {
    until("it is ready", SOON, async || (readiness(stage).await? == 200).then_some(())).await;
    until("all shards are watched", SOON, async || {
        let mut connection = stage.redis.client().await;
        let watched: Vec<String> = connection.keys("a2a:*:janitor").await.expect("KEYS");
        (watched.len() == SHARDS).then_some(())
    })
    .await;
}

/// Redis answers reads and lets writes wait.
async fn hold_writes(redis: &RedisServer, hold: bool) {
    let mut command = redis::cmd("CLIENT");
    if hold {
        command.arg("PAUSE").arg(60_000).arg("WRITE");
    } else {
        command.arg("UNPAUSE");
    }
    command.exec_async(&mut redis.client().await).await.expect("CLIENT");
}

async fn writes_wait(redis: &RedisServer) -> bool {
    let mut list = redis::cmd("CLIENT");
    let clients: String = list.arg("LIST").query_async(&mut redis.client().await).await.expect("CLIENT LIST");
    let runs_a_script = |client: &str| ["cmd=evalsha", "cmd=script"].iter().any(|cmd| client.contains(cmd));
    let waits = |client: &str| client.contains("flags=b") && runs_a_script(client);
    clients.lines().any(waits)
}

async fn readiness(stage: &Stage) -> Option<u16> {
    let answer = reqwest::get(format!("http://{}/readyz", stage.service.at.admin)).await.ok()?;
    Some(answer.status().as_u16())
}
