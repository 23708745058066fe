//! CancelTask: a client ends a live task.

use a2a_proto::{a2a::CancelTaskRequest, agent::TransitionRequest};
use a2a_tests::clients;
use futures::future::join_all;
use tonic::Code;

use crate::{
    calls::{
        NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required, assert_not_found,
        assert_old_version, assert_refused, at_version, cancel, get, recorded, saying, subscribe, wire,
        with_extensions,
    },
    cards::requiring_an_extension,
    stage::{Stage, all, gist, state, task, transition},
};

const MANY: usize = 50;

#[tokio::test]
async fn canceled() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let canceled = stage.client.cancel_task(cancel(&task.id)).await.unwrap().into_inner();
    assert_eq!((&canceled.id, state(&canceled)), (&task.id, "TASK_STATE_CANCELED"));
    assert_eq!(canceled.history, task.history);
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found, canceled);
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated", "TaskStatusUpdated"]);
}

#[tokio::test]
async fn canceled_from_every_live_state() {
    let mut stage = Stage::set().await;
    for from in ["submitted", "working", "input required", "auth required"] {
        let task = stage.submitted("hello").await;
        match from {
            "working" => drop(stage.agent.start_working(transition(&task)).await.unwrap()),
            "input required" => drop(stage.agent.require_input(transition(&task)).await.unwrap()),
            "auth required" => drop(stage.agent.require_auth(transition(&task)).await.unwrap()),
            _ => {}
        }
        let canceled = stage.client.cancel_task(cancel(&task.id)).await.unwrap().into_inner();
        assert_eq!(state(&canceled), "TASK_STATE_CANCELED", "{from}");
    }
}

#[tokio::test]
async fn not_cancelable() {
    let mut stage = Stage::set().await;
    for end in ["COMPLETED", "FAILED", "REJECTED", "CANCELED"] {
        let task = stage.ended("hello", end).await;
        let before = recorded(&stage.redis, &task.id).await;
        let refused = stage.client.cancel_task(cancel(&task.id)).await.unwrap_err();
        assert_refused(&refused, Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
        assert_eq!(clients::error_info(&refused).metadata["state"], format!("TASK_STATE_{end}"));
        assert_eq!(recorded(&stage.redis, &task.id).await, before);
    }
}

#[tokio::test]
async fn not_cancelable_now() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let closed = TransitionRequest { cancelable: Some(false), ..transition(&task) };
    stage.agent.start_working(closed).await.unwrap();
    let refused = stage.client.cancel_task(cancel(&task.id)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(state(&found), "TASK_STATE_WORKING");

    let open = TransitionRequest { cancelable: Some(true), ..saying(&task, "past the point") };
    stage.agent.report_progress(open).await.unwrap();
    let canceled = stage.client.cancel_task(cancel(&task.id)).await.unwrap().into_inner();
    assert_eq!(state(&canceled), "TASK_STATE_CANCELED");
}

#[tokio::test]
async fn not_found() {
    let mut stage = Stage::set().await;
    assert_not_found(&stage.client.cancel_task(cancel(NO_TASK)).await.unwrap_err());
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.cancel_task(cancel(NO_TASK)).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let as_stranger = CancelTaskRequest { tenant: stranger.to_owned(), ..cancel(&theirs.id) };
        let refused = stage.client.cancel_task(as_stranger).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        assert_eq!(recorded(&stage.redis, &theirs.id).await, ["TaskCreated"]);
        let as_owner = CancelTaskRequest { tenant: owner.to_owned(), ..cancel(&theirs.id) };
        stage.client.cancel_task(as_owner).await.unwrap();
    }
}

#[tokio::test]
async fn another_tenants_finished_task_is_not_found_either() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let as_stranger = CancelTaskRequest { tenant: "globex".to_owned(), ..cancel(&task.id) };
    assert_not_found(&stage.client.cancel_task(as_stranger).await.unwrap_err());
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    assert_old_version(&stage.client.cancel_task(at_version(OLD, cancel(NO_TASK))).await.unwrap_err());
    assert_old_version(&stage.client.cancel_task(at_version(OLD, cancel(&task.id))).await.unwrap_err());
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated"]);
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(&stage.client.cancel_task(cancel(NO_TASK)).await.unwrap_err());
    let named = with_extensions(crate::calls::EXTENSION, cancel(NO_TASK));
    assert_not_found(&stage.client.cancel_task(named).await.unwrap_err());
}

#[tokio::test]
async fn an_empty_id_is_refused() {
    let mut stage = Stage::set().await;
    assert_bad_field(&stage.client.cancel_task(cancel("")).await.unwrap_err(), "id");
}

#[tokio::test]
async fn fifty_at_once_make_one_event() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    let cancels = (0..MANY).map(|_| {
        let mut client = stage.client.clone();
        let request = cancel(&task.id);
        async move { client.cancel_task(request).await }
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(cancels).await.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, MANY - 1));
    for refused in lost {
        assert_refused(&refused.unwrap_err(), Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
    }
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["task TASK_STATE_WORKING", "TASK_STATE_CANCELED"]);
    let changes = recorded(&stage.redis, &task.id).await;
    assert_eq!(changes, ["TaskCreated", "TaskStatusUpdated", "TaskStatusUpdated"]);
}

#[tokio::test]
async fn a_blocking_send_is_answered_with_the_canceled_task() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let answer = stage.send_in_background(clients::send("hello"));
    let task = crate::stage::next(&mut work).await.task.unwrap();
    stage.client.cancel_task(cancel(&task.id)).await.unwrap();
    assert_eq!(state(&answer.await.unwrap().unwrap()), "TASK_STATE_CANCELED");
}
