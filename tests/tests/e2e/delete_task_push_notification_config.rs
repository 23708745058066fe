//! DeleteTaskPushNotificationConfig: nothing more is sent to a webhook.

use a2a_proto::a2a::{DeleteTaskPushNotificationConfigRequest, TaskPushNotificationConfig};
use a2a_tests::clients;
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_version, recorded, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    push::{config, delete_config, held},
    stage::{Stage, task, transition},
};

#[tokio::test]
async fn deleted() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for id in ["one", "two"] {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "one")).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await, [config(&task.id, "two")]);
    let changes = recorded(&stage.redis, &task.id).await;
    assert_eq!(changes.last().unwrap(), "PushNotificationConfigDeleted");
}

#[tokio::test]
async fn deleted_twice() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.create_task_push_notification_config(config(&task.id, "one")).await.unwrap();
    for _ in 0..2 {
        stage.client.delete_task_push_notification_config(delete_config(&task.id, "one")).await.unwrap();
    }
    let changes = recorded(&stage.redis, &task.id).await;
    assert_eq!(changes.iter().filter(|kind| *kind == "PushNotificationConfigDeleted").count(), 1);
}

#[tokio::test]
async fn deleted_without_ever_having_been_there() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "one")).await.unwrap();
    assert_eq!(recorded(&stage.redis, &task.id).await, ["TaskCreated"]);
}

#[tokio::test]
async fn deleted_from_a_finished_task() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.create_task_push_notification_config(config(&task.id, "one")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "one")).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await, []);
}

#[tokio::test]
async fn created_again_after_a_delete() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for _ in 0..2 {
        stage.client.create_task_push_notification_config(config(&task.id, "one")).await.unwrap();
        assert_eq!(held(&mut stage, &task.id).await, [config(&task.id, "one")]);
        stage.client.delete_task_push_notification_config(delete_config(&task.id, "one")).await.unwrap();
        assert_eq!(held(&mut stage, &task.id).await, []);
    }
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    let request = delete_config(NO_TASK, "one");
    assert_not_found(&stage.client.delete_task_push_notification_config(request).await.unwrap_err());
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let request = delete_config(NO_TASK, "one");
    let absent = stage.client.delete_task_push_notification_config(request).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let asked = TaskPushNotificationConfig { tenant: owner.to_owned(), ..config(&theirs.id, "one") };
        stage.client.create_task_push_notification_config(asked).await.unwrap();
        let before = recorded(&stage.redis, &theirs.id).await;
        let of = |tenant: &str| DeleteTaskPushNotificationConfigRequest {
            tenant: tenant.to_owned(),
            ..delete_config(&theirs.id, "one")
        };
        let refused = stage.client.delete_task_push_notification_config(of(stranger)).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        assert_eq!(recorded(&stage.redis, &theirs.id).await, before);
        stage.client.delete_task_push_notification_config(of(owner)).await.unwrap();
    }
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let request = delete_config(NO_TASK, "one");
    let refused = stage.client.delete_task_push_notification_config(request).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, delete_config(NO_TASK, "one"));
    assert_old_version(&stage.client.delete_task_push_notification_config(request).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    let request = delete_config(NO_TASK, "one");
    assert_extension_required(&stage.client.delete_task_push_notification_config(request).await.unwrap_err());
    let named = with_extensions(EXTENSION, delete_config(NO_TASK, "one"));
    assert_not_found(&stage.client.delete_task_push_notification_config(named).await.unwrap_err());
}

#[tokio::test]
async fn empty_ids_are_refused() {
    let mut stage = Stage::set().await;
    for (request, field) in [(delete_config("", "one"), "taskId"), (delete_config(NO_TASK, ""), "id")] {
        assert_bad_field(
            &stage.client.delete_task_push_notification_config(request).await.unwrap_err(),
            field,
        );
    }
}
