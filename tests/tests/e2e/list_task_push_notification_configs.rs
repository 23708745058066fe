//! ListTaskPushNotificationConfigs: the webhooks of a task, by id.

use a2a_proto::a2a::{ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig};
use a2a_tests::clients;
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_version, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    push::{config, delete_config, held, list_configs},
    stage::{Stage, task, transition},
};

#[tokio::test]
async fn listed() {
    let mut stage = Stage::set().await;
    let (task, other) = (stage.submitted("hello").await, stage.submitted("other").await);
    assert_eq!(held(&mut stage, &task.id).await, []);
    for id in ["b", "c", "a"] {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    stage.client.create_task_push_notification_config(config(&other.id, "d")).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await, ["a", "b", "c"].map(|id| config(&task.id, id)));
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "b")).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await, ["a", "c"].map(|id| config(&task.id, id)));
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await.len(), 2);
}

#[tokio::test]
async fn listed_over_pages() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let ids = ["a", "b", "c", "d", "e"];
    for id in ids {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    let mut request = ListTaskPushNotificationConfigsRequest { page_size: 2, ..list_configs(&task.id) };
    let (mut found, mut sizes) = (Vec::new(), Vec::new());
    loop {
        let page =
            stage.client.list_task_push_notification_configs(request.clone()).await.unwrap().into_inner();
        sizes.push(page.configs.len());
        found.extend(page.configs);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(sizes, [2, 2, 1]);
    assert_eq!(found, ids.map(|id| config(&task.id, id)));
}

#[tokio::test]
async fn a_delete_while_paging_hides_no_other() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for id in ["a", "b", "c"] {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    let mut request = ListTaskPushNotificationConfigsRequest { page_size: 1, ..list_configs(&task.id) };
    let first = stage.client.list_task_push_notification_configs(request.clone()).await.unwrap().into_inner();
    stage.client.delete_task_push_notification_config(delete_config(&task.id, "a")).await.unwrap();
    request.page_token = first.next_page_token;
    let second = stage.client.list_task_push_notification_configs(request).await.unwrap().into_inner();
    assert_eq!(second.configs, [config(&task.id, "b")]);
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    let refused = stage.client.list_task_push_notification_configs(list_configs(NO_TASK)).await.unwrap_err();
    assert_not_found(&refused);
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent = stage.client.list_task_push_notification_configs(list_configs(NO_TASK)).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let asked = TaskPushNotificationConfig { tenant: owner.to_owned(), ..config(&theirs.id, "one") };
        stage.client.create_task_push_notification_config(asked.clone()).await.unwrap();
        let of = |tenant: &str| ListTaskPushNotificationConfigsRequest {
            tenant: tenant.to_owned(),
            ..list_configs(&theirs.id)
        };
        let refused = stage.client.list_task_push_notification_configs(of(stranger)).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        let listed = stage.client.list_task_push_notification_configs(of(owner)).await.unwrap();
        assert_eq!(listed.into_inner().configs, [asked]);
    }
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let refused = stage.client.list_task_push_notification_configs(list_configs(NO_TASK)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, list_configs(NO_TASK));
    assert_old_version(&stage.client.list_task_push_notification_configs(request).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    let refused = stage.client.list_task_push_notification_configs(list_configs(NO_TASK)).await.unwrap_err();
    assert_extension_required(&refused);
    let named = with_extensions(EXTENSION, list_configs(NO_TASK));
    assert_not_found(&stage.client.list_task_push_notification_configs(named).await.unwrap_err());
}

#[tokio::test]
async fn bad_fields_are_refused_by_name() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let good = list_configs(&task.id);
    let cases = [
        ("taskId", list_configs("")),
        ("pageSize", ListTaskPushNotificationConfigsRequest { page_size: -1, ..good.clone() }),
        ("pageSize", ListTaskPushNotificationConfigsRequest { page_size: 101, ..good.clone() }),
        ("pageToken", ListTaskPushNotificationConfigsRequest { page_token: "x".to_owned(), ..good }),
    ];
    for (field, request) in cases {
        assert_bad_field(
            &stage.client.list_task_push_notification_configs(request).await.unwrap_err(),
            field,
        );
    }
}

#[tokio::test]
async fn a_token_of_another_task_is_refused() {
    let mut stage = Stage::set().await;
    let (one, two) = (stage.submitted("one").await, stage.submitted("two").await);
    for id in ["a", "b"] {
        stage.client.create_task_push_notification_config(config(&one.id, id)).await.unwrap();
    }
    let request = ListTaskPushNotificationConfigsRequest { page_size: 1, ..list_configs(&one.id) };
    let page_token =
        stage.client.list_task_push_notification_configs(request).await.unwrap().into_inner().next_page_token;
    let request = ListTaskPushNotificationConfigsRequest { page_token, ..list_configs(&two.id) };
    let refused = stage.client.list_task_push_notification_configs(request).await.unwrap_err();
    assert_bad_field(&refused, "pageToken");
}
