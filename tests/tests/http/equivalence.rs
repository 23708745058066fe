//! One script of calls through three doors: equal answers, equal refusals (A2A
//! section 5.1).

use a2a_proto::a2a::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Message, Part, Role, SendMessageConfiguration, SendMessageRequest, Task,
    TaskPushNotificationConfig, TaskState, part::Content,
};
use a2a_tests::{clients, process::ServiceOptions};
use prost_types::{Struct, Timestamp, Value as Data, value::Kind};
use serde_json::Value;

use crate::{
    asked::Asked,
    core::NO_TASK,
    driver::{Ask, Driver, to_value},
    refused::Refused,
    stage::{Stage, scenario, scenario_of, task},
    streaming::subscribe,
};

type Outcome = Result<Value, Refused>;

#[tokio::test]
async fn one_script_has_one_outcome() {
    let stage = Stage::with_conformance_agent().await;
    let mut outcomes = Vec::new();
    for driver in stage.drivers().await {
        outcomes.push(script(&driver).await);
    }
    let [grpc, json_rpc, http_json] = outcomes.try_into().expect("three doors");
    for (grpc, (json_rpc, http_json)) in grpc.iter().zip(json_rpc.iter().zip(&http_json)) {
        assert_eq!(grpc, json_rpc);
        assert_eq!(grpc, http_json);
    }
    assert_eq!(grpc.len(), json_rpc.len());
}

#[tokio::test]
async fn one_task_is_seen_equally() {
    let stage = Stage::with_conformance_agent().await;
    let drivers = stage.drivers().await;
    for maker in &drivers {
        let rich = task(maker.call(rich_message()).await.unwrap());
        let mut seen = Vec::new();
        for driver in &drivers {
            let get = GetTaskRequest { id: rich.id.clone(), ..GetTaskRequest::default() };
            let list = ListTasksRequest { include_artifacts: Some(true), ..ListTasksRequest::default() };
            seen.push((driver.call(get).await.unwrap(), driver.call(list).await.unwrap()));
        }
        assert_eq!(seen[0].0, rich);
        assert!(seen.iter().all(|other| *other == seen[0]), "{seen:?}");
    }
}

#[tokio::test]
async fn bad_requests_are_refused_alike() {
    let stage = Stage::set().await;
    let drivers = stage.drivers().await;
    for (request, fields) in bad_messages() {
        let mut refusals = Vec::new();
        for driver in &drivers {
            refusals.push(driver.call(request.clone()).await.expect_err("a refusal"));
            refusals.push(driver.stream(Ask::Send(request.clone())).await.err().expect("a refusal"));
        }
        assert_eq!(refusals[0].fields(), fields, "{request:?}");
        assert!(refusals.iter().all(|other| *other == refusals[0]), "{refusals:?}");
    }
    let task = stage.submitted("hello").await;
    for request in bad_configs(&task) {
        same(&drivers, request).await;
    }
    for request in bad_lists() {
        same(&drivers, request).await;
    }
    let long = GetTaskRequest { id: task.id.clone(), history_length: Some(-1), ..GetTaskRequest::default() };
    assert_eq!(same(&drivers, long).await.fields(), ["historyLength"]);
}

#[tokio::test]
async fn what_a_card_does_not_declare_is_refused_alike() {
    let card = crate::card::with_capabilities(&serde_json::json!({
        "extendedAgentCard": true, "extensions": [{"uri": "urn:needed", "required": true}],
    }));
    let options = ServiceOptions::default().flag("agent-card", card.path().display());
    let stage = Stage::set_with(options).await;
    let bare = stage.drivers().await;
    let required = same(&bare, clients::send("hello")).await;
    assert_eq!(required.reason, "EXTENSION_SUPPORT_REQUIRED");
    let named: Vec<Driver> =
        bare.iter().map(|driver| driver.with("a2a-extensions", "urn:x, urn:needed")).collect();
    let card = same(&named, GetExtendedAgentCardRequest::default()).await;
    assert_eq!(card.reason, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    let push = clients::push_config("x", "https://example.com");
    let push = TaskPushNotificationConfig { task_id: NO_TASK.into(), ..push };
    assert_eq!(same(&named, push.clone()).await.reason, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    let inline = clients::with_push(clients::send("hello"), push);
    assert_eq!(same(&named, inline).await.reason, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    let image =
        Part { content: Some(Content::Raw("x".into())), media_type: "image/png".into(), ..Part::default() };
    let refused = same(&named, with_parts(vec![image])).await;
    assert_eq!(refused.reason, "CONTENT_TYPE_NOT_SUPPORTED");
    assert_eq!(refused.fields(), ["message.parts[0].mediaType"]);
    for driver in &named {
        let asks = [Ask::Send(clients::send("hello")), Ask::Subscribe(subscribe(NO_TASK))];
        for ask in asks {
            let refused = driver.stream(ask).await.err().expect("a refusal");
            assert_eq!(refused.reason, "UNSUPPORTED_OPERATION", "{:?}", driver.door);
        }
    }
}

#[tokio::test]
async fn limits_are_refused_alike() {
    let options = ServiceOptions::default().flag("max-push-configs", 1).flag("max-history-messages", 1);
    let mut stage = Stage::set_with(options).await;
    let drivers = stage.drivers().await;
    let asked = stage.in_state(TaskState::InputRequired).await;
    let config = clients::push_config("a", "http://127.0.0.1:9/");
    let config = TaskPushNotificationConfig { task_id: asked.id.clone(), ..config };
    drivers[0].call(config.clone()).await.unwrap();
    let other = TaskPushNotificationConfig { id: "b".into(), ..config };
    assert_eq!(same(&drivers, other).await.reason, "RESOURCE_EXHAUSTED");
    let more = same(&drivers, clients::follow_up(&asked, "more")).await;
    assert_eq!(more.reason, "RESOURCE_EXHAUSTED");
}

/// The refusal that all doors give.
async fn same<R: Asked>(drivers: &[Driver], request: R) -> Refused {
    let mut refusals = Vec::new();
    for driver in drivers {
        refusals.push(driver.call(request.clone()).await.expect_err("a refusal"));
    }
    assert!(refusals.iter().all(|other| *other == refusals[0]), "{refusals:#?}");
    refusals.swap_remove(0)
}

/// Everything that a client may do with tasks.
async fn script(driver: &Driver) -> Vec<Outcome> {
    let mut seen = Vec::new();
    let asked = task(driver.call(scenario("tck-input-required")).await.unwrap());
    seen.push(Ok(to_value(&asked)));
    let id = asked.id.clone();
    let config = clients::secret_push_config("c", "http://127.0.0.1:9/", "token", "secret");
    let config = TaskPushNotificationConfig { task_id: id.clone(), ..config };
    seen.push(outcome(driver, config).await);
    let names = || (id.clone(), "c".to_owned());
    let get = |(task_id, id)| GetTaskPushNotificationConfigRequest { task_id, id, ..Default::default() };
    seen.push(outcome(driver, get(names())).await);
    let list = ListTaskPushNotificationConfigsRequest { task_id: id.clone(), ..Default::default() };
    seen.push(outcome(driver, list).await);
    let (task_id, name) = names();
    let delete = DeleteTaskPushNotificationConfigRequest { task_id, id: name, ..Default::default() };
    seen.push(outcome(driver, delete).await);
    seen.push(outcome(driver, get(names())).await);
    seen.push(outcome(driver, scenario_of(&asked, "tck-input-required")).await);
    let other = Task { context_id: "another".into(), ..asked.clone() };
    seen.push(outcome(driver, scenario_of(&other, "x")).await);
    seen.push(outcome(driver, scenario_of(&asked, "tck-artifact-data")).await);
    seen.push(outcome(driver, scenario_of(&asked, "tck-terminal")).await);
    seen.push(
        outcome(driver, GetTaskRequest { id: id.clone(), history_length: Some(1), ..Default::default() })
            .await,
    );
    seen.push(outcome(driver, CancelTaskRequest { id: id.clone(), ..Default::default() }).await);
    let context_id = asked.context_id.clone();
    seen.push(outcome(driver, ListTasksRequest { context_id, ..Default::default() }).await);
    seen.push(outcome(driver, GetExtendedAgentCardRequest::default()).await);
    seen.push(outcome(driver, scenario("tck-message-response")).await);
    seen.push(outcome(driver, GetTaskRequest { id: NO_TASK.into(), ..Default::default() }).await);
    seen.into_iter().map(|outcome| outcome.map(|value| without_names(value, &asked))).collect()
}

async fn outcome<R: Asked>(driver: &Driver, request: R) -> Outcome {
    driver.call(request).await.map(|answer| to_value(&answer))
}

/// Each run has ids and times of its own.
fn without_names(value: Value, task: &Task) -> Value {
    match value {
        Value::String(text) if text == task.id => "the task".into(),
        Value::String(text) if text == task.context_id => "the context".into(),
        Value::Array(items) => items.into_iter().map(|item| without_names(item, task)).collect(),
        Value::Object(fields) => {
            let plain = fields.into_iter().filter(|(name, value)| !is_particular(name, value, task));
            plain
                .map(|(name, value)| (name, without_names(value, task)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        other => other,
    }
}

fn is_particular(name: &str, value: &Value, task: &Task) -> bool {
    let is_made = value.as_str().is_some_and(|id| id.len() == 36 && id != task.context_id);
    name == "timestamp" || (matches!(name, "messageId" | "contextId") && is_made)
}

/// A message with a part of each kind, and everything else that it may have.
fn rich_message() -> SendMessageRequest {
    let number = |number| Data { kind: Some(Kind::NumberValue(number)) };
    let object = |fields: &[(&str, Data)]| Struct {
        fields: fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    };
    let nested = Data { kind: Some(Kind::StructValue(object(&[("n", number(1.5)), ("w", number(5.0))]))) };
    let part = |content| Part { content: Some(content), ..Part::default() };
    let parts = vec![
        part(Content::Text("späti ☕".into())),
        part(Content::Raw(vec![0, 255, 254].into())),
        part(Content::Url("https://example.com/a?b=c".into())),
        part(Content::Data(nested.clone())),
        part(Content::Data(Data { kind: Some(Kind::NullValue(0)) })),
        Part { metadata: Some(object(&[("snake_case", nested.clone())])), ..clients::text_part("x") },
    ];
    let mut request = scenario("tck-artifact-file");
    let message = request.message.get_or_insert_default();
    message.parts = parts;
    message.metadata = Some(object(&[("m", nested)]));
    message.extensions = vec!["urn:e".into()];
    message.reference_task_ids = vec![NO_TASK.into()];
    request.metadata = Some(object(&[("r", number(2.0))]));
    request
}

fn bad_messages() -> Vec<(SendMessageRequest, &'static [&'static str])> {
    let message = || clients::user_text("hello");
    let of =
        |message: Message| SendMessageRequest { message: Some(message), ..SendMessageRequest::default() };
    let configured =
        |configuration| SendMessageRequest { configuration: Some(configuration), ..clients::send("x") };
    vec![
        (SendMessageRequest::default(), &["message"]),
        (of(Message { message_id: String::new(), ..message() }), &["message.messageId"]),
        (of(Message { role: Role::Agent.into(), ..message() }), &["message.role"]),
        (of(Message { parts: Vec::new(), ..message() }), &["message.parts"]),
        (with_parts(vec![clients::text_part("x"), Part::default()]), &["message.parts[1]"]),
        (
            configured(SendMessageConfiguration { history_length: Some(-1), ..Default::default() }),
            &["configuration.historyLength"],
        ),
    ]
}

fn with_parts(parts: Vec<Part>) -> SendMessageRequest {
    let message = Message { parts, ..clients::user_text("") };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

fn bad_configs(task: &Task) -> Vec<TaskPushNotificationConfig> {
    let config =
        |url: &str| TaskPushNotificationConfig { task_id: task.id.clone(), ..clients::push_config("x", url) };
    let token = TaskPushNotificationConfig { token: "a\r\nb".into(), ..config("http://127.0.0.1:9/") };
    vec![config(""), config("no url"), config("http://169.254.169.254/"), token]
}

fn bad_lists() -> Vec<ListTasksRequest> {
    let request = ListTasksRequest::default;
    vec![
        ListTasksRequest { page_size: Some(0), ..request() },
        ListTasksRequest { page_size: Some(101), ..request() },
        ListTasksRequest { page_token: "no token".into(), ..request() },
        ListTasksRequest { history_length: Some(-1), ..request() },
        ListTasksRequest {
            status_timestamp_after: Some(Timestamp { seconds: 1, nanos: 0 }),
            page_size: Some(-5),
            ..request()
        },
    ]
}
