//! CreateTaskPushNotificationConfig: a webhook for an existing task.

use a2a_proto::a2a::TaskPushNotificationConfig;
use a2a_tests::{clients, process::ServiceOptions};
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, NO_TASK, OLD, STRANGERS, as_tenant, assert_bad_field, assert_extension_required,
        assert_not_found, assert_old_version, assert_refused, at_version, recorded, wire, with_extensions,
    },
    cards::{declaring, requiring_an_extension},
    push::{HOOK, config, get_config, held},
    stage::{Stage, task, transition},
};

#[tokio::test]
async fn created() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let asked = TaskPushNotificationConfig {
        task_id: task.id.clone(),
        ..clients::secret_push_config("mine", HOOK, "token", "credentials")
    };
    let created =
        stage.client.create_task_push_notification_config(asked.clone()).await.unwrap().into_inner();
    assert_eq!(created, asked);
    let found = stage.client.get_task_push_notification_config(get_config(&task.id, "mine")).await.unwrap();
    assert_eq!(found.into_inner(), asked);
    let changes = recorded(&stage.redis, &task.id).await;
    assert_eq!(changes, ["TaskCreated", "PushNotificationConfigCreated"]);
}

#[tokio::test]
async fn assigned() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let asked = config(&task.id, "");
    let one = stage.client.create_task_push_notification_config(asked.clone()).await.unwrap().into_inner();
    let two = stage.client.create_task_push_notification_config(asked.clone()).await.unwrap().into_inner();
    assert!(!one.id.is_empty() && !two.id.is_empty() && one.id != two.id);
    assert_eq!(TaskPushNotificationConfig { id: String::new(), ..one.clone() }, asked);
    let found = stage.client.get_task_push_notification_config(get_config(&task.id, &one.id)).await.unwrap();
    assert_eq!(found.into_inner(), one);
}

#[tokio::test]
async fn the_same_id_replaces() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.client.create_task_push_notification_config(config(&task.id, "mine")).await.unwrap();
    let newer = TaskPushNotificationConfig { token: "newer".to_owned(), ..config(&task.id, "mine") };
    let replaced =
        stage.client.create_task_push_notification_config(newer.clone()).await.unwrap().into_inner();
    assert_eq!(replaced, newer);
    assert_eq!(held(&mut stage, &task.id).await, [newer]);
}

#[tokio::test]
async fn the_same_id_on_another_task_is_another_config() {
    let mut stage = Stage::set().await;
    let (one, two) = (stage.submitted("one").await, stage.submitted("two").await);
    for task in [&one, &two] {
        stage.client.create_task_push_notification_config(config(&task.id, "mine")).await.unwrap();
    }
    assert_eq!(held(&mut stage, &one.id).await, [config(&one.id, "mine")]);
    assert_eq!(held(&mut stage, &two.id).await, [config(&two.id, "mine")]);
}

#[tokio::test]
async fn created_on_a_finished_task() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    stage.client.create_task_push_notification_config(config(&task.id, "mine")).await.unwrap();
    assert_eq!(held(&mut stage, &task.id).await.len(), 1);
}

#[tokio::test]
async fn created_with_the_message() {
    let mut stage = Stage::set().await;
    let request = clients::with_push(clients::send_and_return("hello"), clients::push_config("", HOOK));
    let task = task(stage.client.send_message(as_tenant("acme", request)).await.unwrap().into_inner());
    let list = crate::push::list_configs(&task.id);
    let list = a2a_proto::a2a::ListTaskPushNotificationConfigsRequest { tenant: "acme".to_owned(), ..list };
    let held = stage.client.list_task_push_notification_configs(list).await.unwrap().into_inner().configs;
    let made = TaskPushNotificationConfig {
        tenant: "acme".to_owned(),
        id: held[0].id.clone(),
        ..config(&task.id, "")
    };
    assert!(!made.id.is_empty());
    assert_eq!(held, [made]);
}

#[tokio::test]
async fn config_limit() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-push-configs", 2)).await;
    let task = stage.submitted("hello").await;
    for id in ["one", "two"] {
        stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap();
    }
    let before = recorded(&stage.redis, &task.id).await;
    for id in ["three", ""] {
        let refused =
            stage.client.create_task_push_notification_config(config(&task.id, id)).await.unwrap_err();
        assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    }
    assert_eq!(recorded(&stage.redis, &task.id).await, before);
    stage.client.create_task_push_notification_config(config(&task.id, "two")).await.expect("replaces");
    let removed = crate::push::delete_config(&task.id, "one");
    stage.client.delete_task_push_notification_config(removed).await.unwrap();
    stage.client.create_task_push_notification_config(config(&task.id, "three")).await.expect("has room");
}

#[tokio::test]
async fn task_not_found() {
    let mut stage = Stage::set().await;
    let refused =
        stage.client.create_task_push_notification_config(config(NO_TASK, "mine")).await.unwrap_err();
    assert_not_found(&refused);
}

#[tokio::test]
async fn other_tenant() {
    let mut stage = Stage::set().await;
    let absent =
        stage.client.create_task_push_notification_config(config(NO_TASK, "mine")).await.unwrap_err();
    for (owner, stranger) in STRANGERS {
        let request = as_tenant(owner, clients::send_and_return("hello"));
        let theirs = task(stage.client.send_message(request).await.unwrap().into_inner());
        let of = |tenant: &str| TaskPushNotificationConfig {
            tenant: tenant.to_owned(),
            ..config(&theirs.id, "mine")
        };
        let refused = stage.client.create_task_push_notification_config(of(stranger)).await.unwrap_err();
        assert_eq!(wire(&refused), wire(&absent), "{owner:?} asked by {stranger:?}");
        assert_eq!(recorded(&stage.redis, &theirs.id).await, ["TaskCreated"]);
        stage.client.create_task_push_notification_config(of(owner)).await.unwrap();
    }
}

#[tokio::test]
async fn push_not_supported() {
    let mut stage = declaring(json!({"streaming": true, "pushNotifications": false})).await;
    let refused =
        stage.client.create_task_push_notification_config(config(NO_TASK, "mine")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let request = at_version(OLD, config(NO_TASK, "mine"));
    assert_old_version(&stage.client.create_task_push_notification_config(request).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    let refused =
        stage.client.create_task_push_notification_config(config(NO_TASK, "mine")).await.unwrap_err();
    assert_extension_required(&refused);
    let named = with_extensions(EXTENSION, config(NO_TASK, "mine"));
    assert_not_found(&stage.client.create_task_push_notification_config(named).await.unwrap_err());
}

#[tokio::test]
async fn bad_fields_are_refused_by_name() {
    let mut stage = Stage::set().await;
    let good = clients::secret_push_config("mine", HOOK, "token", "credentials");
    let good = TaskPushNotificationConfig { task_id: NO_TASK.to_owned(), ..good };
    let cases: [(&str, Spoil); 8] = [
        ("taskId", |config| config.task_id.clear()),
        ("id", |config| config.id = "a\nb".to_owned()),
        ("url", |config| config.url.clear()),
        ("url", |config| config.url = "ftp://127.0.0.1/".to_owned()),
        ("url", |config| config.url = "http://127.0.0.1/\r\nx: y".to_owned()),
        ("token", |config| config.token = "a\r\nx: y".to_owned()),
        ("authentication.scheme", |config| authentication(config).scheme = "Bearer\n".to_owned()),
        ("authentication.credentials", |config| authentication(config).credentials = "a\0".to_owned()),
    ];
    for (field, spoil) in cases {
        let mut bad = good.clone();
        spoil(&mut bad);
        let refused = stage.client.create_task_push_notification_config(bad).await.unwrap_err();
        assert_bad_field(&refused, field);
    }
}

#[tokio::test]
async fn a_webhook_on_this_machine_is_refused_by_default() {
    let mut stage = Stage::set_with(ServiceOptions::default().guarded_webhooks()).await;
    let mut hook = config(NO_TASK, "mine");
    hook.url = "https://127.0.0.1/hook".to_owned();
    assert_bad_field(&stage.client.create_task_push_notification_config(hook).await.unwrap_err(), "url");
}

/// Makes a good config a bad one.
type Spoil = fn(&mut TaskPushNotificationConfig);

fn authentication(config: &mut TaskPushNotificationConfig) -> &mut a2a_proto::a2a::AuthenticationInfo {
    config.authentication.get_or_insert_default()
}
