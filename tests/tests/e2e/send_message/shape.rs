//! Messages that are refused for their shape, with the path of the field.

use a2a_proto::a2a::{Message, Part, Role, SendMessageRequest};
use a2a_tests::clients;
use prost_types::{ListValue, Struct, Value, value::Kind};

use crate::{
    calls::{assert_bad_field, at_once, get, list, message_of, with_history},
    stage::{Stage, task},
};

/// The field that a message with this change is refused for.
async fn refused_for(field: &str, change: impl FnOnce(&mut Message)) {
    let mut message = clients::user_text("hello");
    change(&mut message);
    refused_request(field, at_once(message_of("", message))).await;
}

async fn refused_request(field: &str, request: SendMessageRequest) {
    let mut stage = Stage::set().await;
    assert_bad_field(&stage.client.send_message(request).await.unwrap_err(), field);
    let listed = stage.client.list_tasks(list("")).await.unwrap().into_inner();
    assert_eq!(listed.total_size, 0, "a refused message makes no task");
}

#[tokio::test]
async fn a_request_without_a_message() {
    refused_request("message", at_once(SendMessageRequest::default())).await;
}

#[tokio::test]
async fn a_message_without_an_id() {
    refused_for("message.messageId", |message| message.message_id.clear()).await;
}

#[tokio::test]
async fn a_message_that_is_not_the_users() {
    refused_for("message.role", |message| message.set_role(Role::Agent)).await;
}

#[tokio::test]
async fn a_message_without_a_role() {
    refused_for("message.role", |message| message.set_role(Role::Unspecified)).await;
}

#[tokio::test]
async fn a_message_without_parts() {
    refused_for("message.parts", |message| message.parts.clear()).await;
}

#[tokio::test]
async fn a_part_without_content() {
    refused_for("message.parts[1]", |message| message.parts.push(Part::default())).await;
}

#[tokio::test]
async fn metadata_nested_too_deep() {
    refused_for("message.metadata", |message| {
        message.metadata = Some(Struct { fields: [("deep".to_owned(), nested(32))].into() });
    })
    .await;
}

#[tokio::test]
async fn metadata_nested_as_deep_as_may_be_comes_back() {
    let mut stage = Stage::set().await;
    let metadata = Some(Struct { fields: [("deep".to_owned(), nested(31))].into() });
    let message = Message { metadata: metadata.clone(), ..clients::user_text("hello") };
    let sent = task(stage.client.send_message(at_once(message_of("", message))).await.unwrap().into_inner());
    let found = stage.client.get_task(get(&sent.id)).await.unwrap().into_inner();
    assert_eq!(found.history[0].metadata, metadata);
}

#[tokio::test]
async fn a_negative_history_length() {
    let request = with_history(clients::send_and_return("hello"), Some(-1));
    refused_request("configuration.historyLength", request).await;
}

#[tokio::test]
async fn an_inline_config_that_names_a_task() {
    let mut config = clients::push_config("one", "http://127.0.0.1:9/hook");
    config.task_id = "a-task-of-mine".to_owned();
    let request = clients::with_push(clients::send_and_return("hello"), config);
    refused_request("configuration.taskPushNotificationConfig.taskId", request).await;
}

#[tokio::test]
async fn an_inline_config_of_another_tenant() {
    let mut config = clients::push_config("one", "http://127.0.0.1:9/hook");
    config.tenant = "globex".to_owned();
    let request = clients::with_push(clients::send_and_return("hello"), config);
    refused_request("configuration.taskPushNotificationConfig.tenant", request).await;
}

#[tokio::test]
async fn every_bad_field_is_named() {
    let mut stage = Stage::set().await;
    let message = Message { parts: vec![Part::default()], ..Message::default() };
    let refused = stage.client.send_message(at_once(message_of("", message))).await.unwrap_err();
    assert_eq!(clients::violations(&refused), ["message.messageId", "message.parts[0]", "message.role"]);
}

fn nested(depth: usize) -> Value {
    let inner = (depth > 1).then(|| nested(depth - 1));
    Value { kind: Some(Kind::ListValue(ListValue { values: inner.into_iter().collect() })) }
}
