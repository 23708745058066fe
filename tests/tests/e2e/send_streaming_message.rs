//! SendStreamingMessage: the task first, then its events, to the end of the
//! turn.

use a2a_proto::a2a::StreamResponse;
use a2a_tests::{clients, process::ServiceOptions};
use serde_json::json;
use tonic::{Code, Streaming};

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, append, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_once, at_version, get, list, put, recorded,
        saying, to_task, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    stage::{Stage, all, another, gist, next, state, streamed_task, task, transition},
};

#[tokio::test]
async fn task_created() {
    let mut stage = Stage::set().await;
    let mut events = stream(&mut stage, clients::send("hello")).await;
    let task = streamed_task(next(&mut events).await);
    assert_eq!(state(&task), "TASK_STATE_SUBMITTED");
    assert_eq!(stage.client.get_task(get(&task.id)).await.unwrap().into_inner(), task);
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.update_artifact(append(&task, "a", "2")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let seen = rest(events).await;
    assert_eq!(seen, ["TASK_STATE_WORKING", "artifact 1", "artifact 2", "TASK_STATE_COMPLETED"]);
    assert_eq!(recorded(&stage.redis, &task.id).await[0], "TaskCreated");
}

#[tokio::test]
async fn the_stream_ends_at_each_terminal_state_and_at_input_required() {
    let mut stage = Stage::set().await;
    for end in ["INPUT_REQUIRED", "COMPLETED", "FAILED", "REJECTED", "CANCELED"] {
        let mut events = stream(&mut stage, clients::send("hello")).await;
        let task = streamed_task(next(&mut events).await);
        match end {
            "INPUT_REQUIRED" => drop(stage.agent.require_input(transition(&task)).await.unwrap()),
            "COMPLETED" => drop(stage.agent.complete_task(transition(&task)).await.unwrap()),
            "FAILED" => drop(stage.agent.fail_task(transition(&task)).await.unwrap()),
            "REJECTED" => drop(stage.agent.reject_task(transition(&task)).await.unwrap()),
            _ => drop(stage.client.cancel_task(crate::calls::cancel(&task.id)).await.unwrap()),
        }
        assert_eq!(rest(events).await, [format!("TASK_STATE_{end}")]);
    }
}

#[tokio::test]
async fn the_stream_stays_open_through_auth_required() {
    let mut stage = Stage::set().await;
    let mut events = stream(&mut stage, clients::send("hello")).await;
    let task = streamed_task(next(&mut events).await);
    stage.agent.require_auth(saying(&task, "sign in over there")).await.unwrap();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(
        rest(events).await,
        ["TASK_STATE_AUTH_REQUIRED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]
    );
}

#[tokio::test]
async fn continued() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    let mut events = stream(&mut stage, to_task(&task.id, "and more")).await;
    let first = streamed_task(next(&mut events).await);
    assert_eq!((&first.id, state(&first)), (&task.id, "TASK_STATE_WORKING"));
    assert_eq!((first.history.len(), first.artifacts.len()), (2, 1));
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(rest(events).await, ["TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_follow_up_to_an_interrupted_task_follows_its_own_turn() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    let mut events = stream(&mut stage, clients::follow_up(&task, "that")).await;
    assert_eq!(gist(&next(&mut events).await), "task TASK_STATE_INPUT_REQUIRED");
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.require_input(saying(&task, "and what else?")).await.unwrap();
    assert_eq!(rest(events).await, ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
}

#[tokio::test]
async fn a_follow_up_does_not_end_an_earlier_stream() {
    let mut stage = Stage::set().await;
    let mut first = stream(&mut stage, clients::send("hello")).await;
    let task = streamed_task(next(&mut first).await);
    let mut second = stream(&mut stage, clients::follow_up(&task, "one more thing")).await;
    assert_eq!(streamed_task(next(&mut second).await).history.len(), 2);
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(rest(first).await, ["TASK_STATE_COMPLETED"], "the client's message is silent");
    assert_eq!(rest(second).await, ["TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    let refused = stage.client.send_streaming_message(to_task(NO_TASK, "hello")).await.unwrap_err();
    assert_not_found(&refused);
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.send_streaming_message(to_task(NO_TASK, "hello")).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let as_stranger = as_tenant(stranger, clients::follow_up(&theirs, "let me in"));
        let refused = stage.client.send_streaming_message(as_stranger).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        let mut events = stream(&mut stage, as_tenant(owner, clients::follow_up(&theirs, "me"))).await;
        assert_eq!(streamed_task(next(&mut events).await).id, theirs.id);
    }
}

#[tokio::test]
async fn task_terminal() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let refused = stage.client.send_streaming_message(clients::follow_up(&task, "more")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn context_mismatch() {
    let mut stage = Stage::set().await;
    let mut task = stage.working("hello").await;
    task.context_id = "another".to_owned();
    let refused = stage.client.send_streaming_message(clients::follow_up(&task, "more")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_MISMATCH");
}

#[tokio::test]
async fn history_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-history-messages", 1)).await;
    let task = stage.submitted("one").await;
    let refused = stage.client.send_streaming_message(clients::follow_up(&task, "two")).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated"]);
}

#[tokio::test]
async fn task_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-tasks-per-tenant", 1)).await;
    stage.submitted("one").await;
    let refused = stage.client.send_streaming_message(clients::send("two")).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
}

#[tokio::test]
async fn context_not_accepted() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("unknown-contexts", "refuse")).await;
    let mut request = clients::send("hello");
    request.message.as_mut().unwrap().context_id = "made-up".to_owned();
    let refused = stage.client.send_streaming_message(request).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
}

#[tokio::test]
async fn content_type_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let mut request = clients::send("hello");
    request.message.as_mut().unwrap().parts[0].media_type = "image/png".to_owned();
    let refused = stage.client.send_streaming_message(request).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED");
}

#[tokio::test]
async fn streaming_not_supported() {
    let mut stage = declaring(json!({"pushNotifications": true})).await;
    let refused = stage.client.send_streaming_message(clients::send("hello")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().total_size, 0);
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let config = clients::push_config("one", "http://127.0.0.1:9/hook");
    let request = clients::with_push(clients::send("hello"), config);
    let refused = stage.client.send_streaming_message(request).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, clients::send("hello"));
    assert_old_version(&stage.client.send_streaming_message(request).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    let refused = stage.client.send_streaming_message(to_task(NO_TASK, "hello")).await.unwrap_err();
    assert_extension_required(&refused);
    let named = with_extensions(EXTENSION, to_task(NO_TASK, "hello"));
    assert_not_found(&stage.client.send_streaming_message(named).await.unwrap_err());
}

#[tokio::test]
async fn a_message_without_parts_is_refused_before_any_item() {
    let mut stage = Stage::set().await;
    let mut request = clients::send("hello");
    request.message.as_mut().unwrap().parts.clear();
    let refused = stage.client.send_streaming_message(request).await.unwrap_err();
    assert_bad_field(&refused, "message.parts");
}

#[tokio::test]
async fn return_immediately_does_not_shorten_a_stream() {
    let mut stage = Stage::set().await;
    let mut events = stream(&mut stage, at_once(clients::send("hello"))).await;
    let task = streamed_task(next(&mut events).await);
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(rest(events).await, ["TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_affect_the_task() {
    let mut stage = Stage::set().await;
    let mut gone = another(&stage.service).await;
    let mut events = gone.send_streaming_message(clients::send("hello")).await.unwrap().into_inner();
    let task = streamed_task(next(&mut events).await);
    drop((events, gone));
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(state(&found), "TASK_STATE_COMPLETED");
}

async fn stream(stage: &mut Stage, request: a2a_proto::a2a::SendMessageRequest) -> Streaming<StreamResponse> {
    stage.client.send_streaming_message(request).await.expect("a stream").into_inner()
}

async fn rest(events: Streaming<StreamResponse>) -> Vec<String> {
    all(events).await.iter().map(gist).collect()
}
