//! GetTaskPushNotificationConfig: one webhook of a task.

use a2a_proto::a2a::{GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig};
use a2a_tests::clients;
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_version, recorded, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    push::{config, delete_config, get_config},
    stage::{Stage, task, transition},
};

#[tokio::test]
async fn found() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for id in ["one", "two"] {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    let before = recorded(&stage.redis, &task.id).await;
    let found = stage.client.get_task_push_notification_config(get_config(&task.id, "two")).await.unwrap();
    assert_eq!(found.into_inner(), config(&task.id, "two"));
    assert_eq!(recorded(&stage.redis, &task.id).await, before);
}

#[tokio::test]
async fn found_on_a_finished_task() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.create_task_push_notification_config(config(&task.id, "one")).await.unwrap();
    stage.agent.fail_task(transition(&task)).await.unwrap();
    stage.client.get_task_push_notification_config(get_config(&task.id, "one")).await.unwrap();
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    let refused =
        stage.client.get_task_push_notification_config(get_config(NO_TASK, "one")).await.unwrap_err();
    assert_not_found(&refused);
}

#[tokio::test]
async fn config_not_found() {
    let mut stage = Stage::set().await;
    let (task, other) = (stage.submitted("hello").await, stage.submitted("other").await);
    stage.client.create_task_push_notification_config(config(&other.id, "theirs")).await.unwrap();
    for id in ["none", "theirs"] {
        let refused =
            stage.client.get_task_push_notification_config(get_config(&task.id, id)).await.unwrap_err();
        assert_not_found(&refused);
    }
    stage.client.create_task_push_notification_config(config(&task.id, "gone")).await.unwrap();
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "gone")).await.unwrap();
    let refused =
        stage.client.get_task_push_notification_config(get_config(&task.id, "gone")).await.unwrap_err();
    assert_not_found(&refused);
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent =
        stage.client.get_task_push_notification_config(get_config(NO_TASK, "one")).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let asked = TaskPushNotificationConfig { tenant: owner.to_owned(), ..config(&theirs.id, "one") };
        stage.client.create_task_push_notification_config(asked.clone()).await.unwrap();
        let of = |tenant: &str| GetTaskPushNotificationConfigRequest {
            tenant: tenant.to_owned(),
            ..get_config(&theirs.id, "one")
        };
        let refused = stage.client.get_task_push_notification_config(of(stranger)).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        let found = stage.client.get_task_push_notification_config(of(owner)).await.unwrap();
        assert_eq!(found.into_inner(), asked);
    }
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let refused =
        stage.client.get_task_push_notification_config(get_config(NO_TASK, "one")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, get_config(NO_TASK, "one"));
    assert_old_version(&stage.client.get_task_push_notification_config(request).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    let refused =
        stage.client.get_task_push_notification_config(get_config(NO_TASK, "one")).await.unwrap_err();
    assert_extension_required(&refused);
    let named = with_extensions(EXTENSION, get_config(NO_TASK, "one"));
    assert_not_found(&stage.client.get_task_push_notification_config(named).await.unwrap_err());
}

#[tokio::test]
async fn empty_ids_are_refused() {
    let mut stage = Stage::set().await;
    for (request, field) in [(get_config("", "one"), "taskId"), (get_config(NO_TASK, ""), "id")] {
        assert_bad_field(&stage.client.get_task_push_notification_config(request).await.unwrap_err(), field);
    }
}
