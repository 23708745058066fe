//! SubscribeToTask: a snapshot, then every later event once, in order.

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest, stream_response::Payload};
use a2a_tests::clients;
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, append, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_once, at_version, get, put, saying,
        subscribe, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    stage::{Stage, all, another, gist, next, streamed_task, task, text, transition},
};

#[tokio::test]
async fn subscribed() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    stage.client.send_message(at_once(clients::follow_up(&task, "that"))).await.unwrap();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.require_auth(transition(&task)).await.unwrap();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.update_artifact(append(&task, "a", "2")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(
        seen,
        [
            "task TASK_STATE_SUBMITTED",
            "TASK_STATE_WORKING",
            "artifact 1",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_WORKING",
            "TASK_STATE_AUTH_REQUIRED",
            "TASK_STATE_WORKING",
            "artifact 2",
            "TASK_STATE_COMPLETED",
        ]
    );
}

#[tokio::test]
async fn every_event_names_its_task_and_context() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    for item in all(events).await {
        assert_eq!(address(&item), (task.id.clone(), task.context_id.clone()));
    }
}

#[tokio::test]
async fn a_late_subscriber_starts_with_the_task_as_it_stands() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.agent.start_working(saying(&task, "on it")).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    let mut events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(streamed_task(next(&mut events).await), found);
    stage.agent.fail_task(transition(&task)).await.unwrap();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["TASK_STATE_FAILED"]);
}

#[tokio::test]
async fn subscribers_see_the_same_and_each_its_own() {
    let mut stage = Stage::set().await;
    let (one, two) = (stage.submitted("one").await, stage.submitted("two").await);
    let first = stage.client.subscribe_to_task(subscribe(&one.id)).await.unwrap().into_inner();
    let second = stage.client.subscribe_to_task(subscribe(&one.id)).await.unwrap().into_inner();
    let other = stage.client.subscribe_to_task(subscribe(&two.id)).await.unwrap().into_inner();
    stage.agent.start_working(transition(&two)).await.unwrap();
    stage.agent.complete_task(transition(&one)).await.unwrap();
    stage.agent.fail_task(transition(&two)).await.unwrap();
    let first = all(first).await;
    assert_eq!(first, all(second).await);
    assert_eq!(
        first.iter().map(gist).collect::<Vec<_>>(),
        ["task TASK_STATE_SUBMITTED", "TASK_STATE_COMPLETED"]
    );
    let other: Vec<_> = all(other).await.iter().map(gist).collect();
    assert_eq!(other, ["task TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_FAILED"]);
}

#[tokio::test]
async fn a_subscriber_that_joins_at_any_instant_misses_nothing_and_sees_nothing_twice() {
    const CHUNKS: usize = 200;
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let mut agent = stage.agent.clone();
    let chunks: Vec<_> = (0..CHUNKS).map(|n| append(&task, "a", &format!("{n} "))).collect();
    let end = transition(&task);
    let writer = tokio::spawn(async move {
        for chunk in chunks {
            agent.update_artifact(chunk).await.expect("a chunk");
        }
        agent.complete_task(end).await.expect("complete");
    });
    let mut readers = Vec::new();
    // Each joins while the writer writes, until the task has ended.
    while let Ok(events) = stage.client.subscribe_to_task(subscribe(&task.id)).await {
        readers.push(tokio::spawn(all(events.into_inner())));
    }
    writer.await.unwrap();
    let whole: String = (0..CHUNKS).map(|n| format!("{n} ")).collect();
    assert!(!readers.is_empty());
    for reader in readers {
        assert_eq!(written(&reader.await.unwrap()), whole);
    }
}

#[tokio::test]
async fn a_slow_subscriber_misses_nothing() {
    const CHUNKS: usize = 150;
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    // More than connections and queues hold, and nobody reads.
    let padding = "x".repeat(65_536);
    for n in 0..CHUNKS {
        stage.agent.update_artifact(append(&task, "a", &format!("{n}{padding}"))).await.unwrap();
    }
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let items = all(events).await;
    assert_eq!(items.len(), CHUNKS + 2);
    let whole: String = (0..CHUNKS).map(|n| format!("{n}{padding}")).collect();
    assert!(written(&items) == whole, "every chunk once and in order");
}

#[tokio::test]
async fn not_found() {
    let mut stage = Stage::set().await;
    assert_not_found(&stage.client.subscribe_to_task(subscribe(NO_TASK)).await.unwrap_err());
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.subscribe_to_task(subscribe(NO_TASK)).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let as_stranger = SubscribeToTaskRequest { tenant: stranger.to_owned(), ..subscribe(&theirs.id) };
        let refused = stage.client.subscribe_to_task(as_stranger).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        let as_owner = SubscribeToTaskRequest { tenant: owner.to_owned(), ..subscribe(&theirs.id) };
        let mut events = stage.client.subscribe_to_task(as_owner).await.unwrap().into_inner();
        assert_eq!(gist(&next(&mut events).await), "task TASK_STATE_SUBMITTED");
    }
}

#[tokio::test]
async fn task_terminal() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let refused = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn streaming_not_supported() {
    let mut stage = declaring(json!({"streaming": false})).await;
    let refused = stage.client.subscribe_to_task(subscribe(NO_TASK)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let refused = stage.client.subscribe_to_task(at_version(OLD, subscribe(NO_TASK))).await.unwrap_err();
    assert_old_version(&refused);
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(&stage.client.subscribe_to_task(subscribe(NO_TASK)).await.unwrap_err());
    let named = with_extensions(EXTENSION, subscribe(NO_TASK));
    assert_not_found(&stage.client.subscribe_to_task(named).await.unwrap_err());
}

#[tokio::test]
async fn an_empty_id_is_refused() {
    let mut stage = Stage::set().await;
    assert_bad_field(&stage.client.subscribe_to_task(subscribe("")).await.unwrap_err(), "id");
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_affect_the_task() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let mut gone = another(&stage.service).await;
    let mut left = gone.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    let stayed = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    next(&mut left).await;
    drop((left, gone));
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let seen: Vec<_> = all(stayed).await.iter().map(gist).collect();
    assert_eq!(seen, ["task TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_stream_that_the_service_ends_says_so() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let mut events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    next(&mut events).await;
    stage.service.sigterm();
    let ended = tokio::time::timeout(crate::stage::SOON, events.message()).await.expect("in time");
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
}

/// The text of the one artifact that a stream tells of, and that it ends well.
fn written(items: &[StreamResponse]) -> String {
    let mut items = items.iter();
    let first = streamed_task(items.next().expect("a snapshot").clone());
    let mut whole: String = first.artifacts.iter().flat_map(|artifact| &artifact.parts).map(text).collect();
    for item in items {
        match item.payload.as_ref().expect("a payload") {
            Payload::ArtifactUpdate(update) => {
                whole.extend(update.artifact.iter().flat_map(|artifact| &artifact.parts).map(text));
            }
            Payload::StatusUpdate(_) => assert_eq!(gist(item), "TASK_STATE_COMPLETED"),
            other => panic!("neither chunk nor end: {other:?}"),
        }
    }
    whole
}

fn address(item: &StreamResponse) -> (String, String) {
    match item.payload.clone().expect("a payload") {
        Payload::Task(task) => (task.id, task.context_id),
        Payload::StatusUpdate(update) => (update.task_id, update.context_id),
        Payload::ArtifactUpdate(update) => (update.task_id, update.context_id),
        Payload::Message(message) => (message.task_id, message.context_id),
    }
}
