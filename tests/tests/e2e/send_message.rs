//! SendMessage: a message starts a task or continues one.

mod blocking;
mod shape;

use a2a_proto::a2a::{Message, Part};
use a2a_tests::{clients, process::ServiceOptions};
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, as_tenant, assert_extension_required, assert_not_found,
        assert_old_version, assert_refused, at_once, at_version, get, list, message_of, recorded, saying,
        to_task, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    stage::{Stage, state, task, text, transition},
};

#[tokio::test]
async fn task_created() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    assert_eq!(state(&task), "TASK_STATE_SUBMITTED");
    assert_eq!(task.history.len(), 1);
    assert_eq!(task.history[0].task_id, task.id);
    assert_eq!(task.history[0].context_id, task.context_id);
    assert_eq!(stage.client.get_task(get(&task.id)).await.unwrap().into_inner(), task);
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated"]);
}

#[tokio::test]
async fn task_created_in_the_context_that_the_message_names() {
    let mut stage = Stage::set().await;
    let message = Message { context_id: "talks".to_owned(), ..clients::user_text("hello") };
    let request = at_once(message_of("", message));
    let first = task(stage.client.send_message(request.clone()).await.unwrap().into_inner());
    let second = task(stage.client.send_message(request).await.unwrap().into_inner());
    assert_eq!((first.context_id.as_str(), second.context_id.as_str()), ("talks", "talks"));
    assert_ne!(first.id, second.id);
}

#[tokio::test]
async fn tasks_without_a_context_get_one_each() {
    let mut stage = Stage::set().await;
    let (one, two) = (stage.submitted("one").await, stage.submitted("two").await);
    assert!(!one.context_id.is_empty());
    assert_ne!(one.context_id, two.context_id);
}

#[tokio::test]
async fn continued() {
    let mut stage = Stage::set().await;
    let started = stage.working("hello").await;
    let request = at_once(to_task(&started.id, "and more"));
    let continued = task(stage.client.send_message(request).await.unwrap().into_inner());
    assert_eq!((&continued.id, state(&continued)), (&started.id, "TASK_STATE_WORKING"));
    let said: Vec<_> = continued.history.iter().map(|message| text(&message.parts[0])).collect();
    assert_eq!(said, ["hello", "and more"]);
    assert_eq!(continued.history[1].context_id, started.context_id);
    let changes = recorded(&stage.redis, &started.id).await;
    assert_eq!(changes, ["TaskCreated", "TaskStatusUpdated", "TaskMessageReceived"]);
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    assert_not_found(&stage.client.send_message(at_once(to_task(NO_TASK, "hello"))).await.unwrap_err());
    let found = stage.client.get_task(get(NO_TASK)).await;
    assert_not_found(&found.expect_err("an id that a client made never creates a task"));
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.send_message(at_once(to_task(NO_TASK, "hello"))).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let as_stranger = at_once(as_tenant(stranger, clients::follow_up(&theirs, "let me in")));
        let refused = stage.client.send_message(as_stranger).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        assert_eq!(recorded(&stage.redis, &theirs.id).await, ["TaskCreated"]);
        let as_owner = at_once(as_tenant(owner, clients::follow_up(&theirs, "it is me")));
        stage.client.send_message(as_owner).await.unwrap();
    }
}

#[tokio::test]
async fn task_terminal() {
    let mut stage = Stage::set().await;
    for end in ["COMPLETED", "FAILED", "REJECTED", "CANCELED"] {
        let task = stage.ended("hello", end).await;
        let before = recorded(&stage.redis, &task.id).await;
        let more = at_once(clients::follow_up(&task, "more"));
        let refused = stage.client.send_message(more).await.unwrap_err();
        assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
        assert_eq!(clients::error_info(&refused).metadata["state"], format!("TASK_STATE_{end}"));
        assert_eq!(recorded(&stage.redis, &task.id).await, before);
    }
}

#[tokio::test]
async fn context_mismatch() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let message =
        Message { task_id: task.id.clone(), context_id: "another".to_owned(), ..clients::user_text("more") };
    let refused = stage.client.send_message(at_once(message_of("", message))).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_MISMATCH");
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated", "TaskStatusUpdated"]);
}

#[tokio::test]
async fn history_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-history-messages", 3)).await;
    let task = stage.submitted("one").await;
    stage.agent.start_working(saying(&task, "two, once the next takes its place")).await.unwrap();
    stage.agent.report_progress(saying(&task, "not in the history yet")).await.unwrap();
    stage.client.send_message(at_once(to_task(&task.id, "three"))).await.unwrap();
    let refused = stage.client.send_message(at_once(to_task(&task.id, "four"))).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found.history.len(), 3);
    stage.agent.complete_task(transition(&task)).await.expect("the agent may still end it");
}

#[tokio::test]
async fn task_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-tasks-per-tenant", 2)).await;
    let first = stage.submitted("one").await;
    stage.submitted("two").await;
    stage.agent.complete_task(transition(&first)).await.unwrap();
    let refused = stage.client.send_message(clients::send_and_return("three")).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    let listed = stage.client.list_tasks(list("")).await.unwrap().into_inner();
    assert_eq!(listed.total_size, 2, "a finished task counts, a refused one does not");
    let other = as_tenant("acme", clients::send_and_return("one of ours"));
    stage.client.send_message(other).await.expect("each tenant has its own limit");
    let request = at_once(to_task(&listed.tasks.iter().find(|task| task.id != first.id).unwrap().id, "more"));
    stage.client.send_message(request).await.expect("a follow-up makes no task");
}

#[tokio::test]
async fn context_not_accepted() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("unknown-contexts", "refuse")).await;
    let known = stage.submitted("hello").await.context_id;
    let in_context = |context: &str| {
        let message = Message { context_id: context.to_owned(), ..clients::user_text("hello") };
        at_once(message_of("", message))
    };
    let refused = stage.client.send_message(in_context("made-up")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
    let theirs = as_tenant("acme", in_context(&known));
    let refused = stage.client.send_message(theirs).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
    let second = task(stage.client.send_message(in_context(&known)).await.unwrap().into_inner());
    assert_eq!(second.context_id, known);
    assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().total_size, 2);
}

#[tokio::test]
async fn content_type_not_supported() {
    let mut stage = declaring(json!({})).await;
    let typed = |media_type: &str| {
        let mut message = clients::user_text("hello");
        message.parts.push(Part { media_type: media_type.to_owned(), ..clients::text_part("more") });
        at_once(message_of("", message))
    };
    let refused = stage.client.send_message(typed("image/png")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED");
    assert_eq!(clients::violations(&refused), ["message.parts[1].mediaType"]);
    assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().total_size, 0);
    for taken in ["", "text/plain", "Text/Plain; charset=utf-8"] {
        stage.client.send_message(typed(taken)).await.unwrap();
    }
}

#[tokio::test]
async fn config_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-push-configs", 1)).await;
    let config = |id| clients::push_config(id, "http://127.0.0.1:9/hook");
    let request = clients::with_push(clients::send_and_return("hello"), config("one"));
    let started = task(stage.client.send_message(request).await.unwrap().into_inner());
    let more = |id| at_once(clients::with_push(to_task(&started.id, "more"), config(id)));
    let refused = stage.client.send_message(more("two")).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    assert_eq!(recorded(&stage.redis, &started.id).await, ["TaskCreated"]);
    stage.client.send_message(more("one")).await.expect("the same id replaces");
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let config = clients::push_config("one", "http://127.0.0.1:9/hook");
    let request = clients::with_push(clients::send_and_return("hello"), config);
    let refused = stage.client.send_message(request).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    stage.submitted("without a webhook").await;
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, clients::send_and_return("hello"));
    assert_old_version(&stage.client.send_message(request).await.unwrap_err());
    let listed = stage.client.list_tasks(list("")).await.unwrap().into_inner();
    assert_eq!(listed.total_size, 0);
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(
        &stage.client.send_message(at_once(to_task(NO_TASK, "hello"))).await.unwrap_err(),
    );
    let named = with_extensions(EXTENSION, at_once(to_task(NO_TASK, "hello")));
    assert_not_found(&stage.client.send_message(named).await.unwrap_err());
}
