//! GetTask: a task as it stands.

use a2a_proto::a2a::GetTaskRequest;
use a2a_tests::clients;
use tonic::Code;

use crate::{
    calls::{
        NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required, assert_not_found,
        assert_old_version, at_once, at_version, get, put, saying, wire, with_extensions,
    },
    cards::requiring_an_extension,
    stage::{Stage, state, task, text, transition},
};

#[tokio::test]
async fn found() {
    let mut stage = Stage::set().await;
    let started = stage.working("hello").await;
    stage.agent.update_artifact(put(&started, "a", "result")).await.unwrap();
    let found = stage.client.get_task(get(&started.id)).await.unwrap().into_inner();
    assert_eq!((&found.id, &found.context_id), (&started.id, &started.context_id));
    assert_eq!(state(&found), "TASK_STATE_WORKING");
    assert_eq!(text(&found.history[0].parts[0]), "hello");
    assert_eq!(text(&found.artifacts[0].parts[0]), "result");
}

#[tokio::test]
async fn found_right_after_each_change() {
    let mut stage = Stage::set().await;
    let started = stage.submitted("hello").await;
    for (step, expected) in [("first", "TASK_STATE_WORKING"), ("second", "TASK_STATE_WORKING")] {
        match step {
            "first" => stage.agent.start_working(saying(&started, step)).await.unwrap(),
            _ => stage.agent.report_progress(saying(&started, step)).await.unwrap(),
        };
        let status = stage.client.get_task(get(&started.id)).await.unwrap().into_inner().status.unwrap();
        assert_eq!(status.state().as_str_name(), expected);
        assert_eq!(text(&status.message.unwrap().parts[0]), step);
    }
    stage.agent.complete_task(transition(&started)).await.unwrap();
    let found = stage.client.get_task(get(&started.id)).await.unwrap().into_inner();
    assert_eq!(state(&found), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn not_found() {
    let mut stage = Stage::set().await;
    let refused = stage.client.get_task(get(NO_TASK)).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
    assert_not_found(&refused);
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.get_task(get(NO_TASK)).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let as_stranger = GetTaskRequest { tenant: stranger.to_owned(), ..get(&theirs.id) };
        let refused = stage.client.get_task(as_stranger).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        let as_owner = GetTaskRequest { tenant: owner.to_owned(), ..get(&theirs.id) };
        assert_eq!(stage.client.get_task(as_owner).await.unwrap().into_inner().id, theirs.id);
    }
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    for version in [OLD, "1.1", "2.0", "one"] {
        assert_old_version(&stage.client.get_task(at_version(version, get(NO_TASK))).await.unwrap_err());
    }
}

#[tokio::test]
async fn a_patch_number_of_the_version_does_not_count() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for version in ["1.0", "1.0.1", "1.0.99"] {
        stage.client.get_task(at_version(version, get(&task.id))).await.unwrap();
    }
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(&stage.client.get_task(get(NO_TASK)).await.unwrap_err());
    let others = with_extensions("urn:other, urn:optional", get(NO_TASK));
    assert_extension_required(&stage.client.get_task(others).await.unwrap_err());
    let named = with_extensions("urn:other, https://example.com/extensions/required/v1", get(NO_TASK));
    assert_not_found(&stage.client.get_task(named).await.unwrap_err());
}

#[tokio::test]
async fn unknown_extensions_are_ignored() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.get_task(with_extensions("urn:unheard-of", get(&task.id))).await.unwrap();
}

#[tokio::test]
async fn a_version_is_refused_before_a_missing_extension_and_that_before_the_shape() {
    let mut stage = requiring_an_extension().await;
    assert_old_version(&stage.client.get_task(at_version(OLD, get(""))).await.unwrap_err());
    assert_extension_required(&stage.client.get_task(get("")).await.unwrap_err());
}

#[tokio::test]
async fn an_empty_id_is_refused() {
    let mut stage = Stage::set().await;
    assert_bad_field(&stage.client.get_task(get("")).await.unwrap_err(), "id");
}

#[tokio::test]
async fn a_negative_history_length_is_refused() {
    let mut stage = Stage::set().await;
    let request = GetTaskRequest { history_length: Some(-1), ..get(NO_TASK) };
    assert_bad_field(&stage.client.get_task(request).await.unwrap_err(), "historyLength");
}

#[tokio::test]
async fn a_finished_task_is_still_found() {
    let mut stage = Stage::set().await;
    let sent = stage.client.send_message(at_once(clients::send("hello"))).await.unwrap();
    let task = task(sent.into_inner());
    stage.agent.reject_task(saying(&task, "not mine")).await.unwrap();
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(state(&found), "TASK_STATE_REJECTED");
    assert_eq!(text(&found.status.unwrap().message.unwrap().parts[0]), "not mine");
}
