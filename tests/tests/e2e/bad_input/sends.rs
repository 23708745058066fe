//! SendMessage and SendStreamingMessage.

use a2a_proto::a2a::{
    GetTaskRequest, Message, Part, Role, SendMessageConfiguration, SendMessageRequest, Task,
    TaskPushNotificationConfig, part::Content,
};
use a2a_tests::clients::{self, push_config, secret_push_config, user_text};
use tonic::Code;

use super::{
    Prepared, Row, malformed, not_found, refused,
    values::{CONTROLS, bad_metadata, bad_values, data, lists, long},
};
use crate::stage::{Stage, task};

type Malformed = (String, SendMessageRequest, Vec<&'static str>);

const PUSH_URL: &str = "configuration.taskPushNotificationConfig.url";

#[tokio::test]
async fn malformed_messages() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let mut rows = Vec::new();
    for (name, request, fields) in all_malformed() {
        rows.push(malformed(format!("send: {name}"), callers.send(request.clone()), &fields));
        rows.push(malformed(format!("stream: {name}"), callers.stream(request), &fields));
    }
    prepared.check(rows).await;
}

#[tokio::test]
async fn messages_that_do_not_fit_the_task() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let mut rows: Vec<Row> = Vec::new();
    for (name, request, code, reason) in misfits(&prepared) {
        rows.push(refused(format!("send: {name}"), callers.send(request.clone()), code, reason));
        rows.push(refused(format!("stream: {name}"), callers.stream(request), code, reason));
    }
    for id in [long().as_str(), "tásk-☃", "a\nb", "*", "../x", "{0}"] {
        let request = clients::follow_up(&Task { id: id.to_owned(), ..Task::default() }, "hello");
        rows.push(not_found(format!("send: to {id:?}"), callers.send(request)));
    }
    prepared.check(rows).await;
}

#[tokio::test]
async fn a_request_that_is_too_large() {
    let prepared = Prepared::set().await;
    let request = clients::send_and_return(&"x".repeat(9 << 20));
    let callers = prepared.callers();
    let code = Code::ResourceExhausted;
    prepared
        .check(vec![
            refused("send", callers.send(request.clone()), code, "RESOURCE_EXHAUSTED"),
            refused("stream", callers.stream(request), code, "RESOURCE_EXHAUSTED"),
        ])
        .await;
}

#[tokio::test]
async fn the_deepest_value_and_the_longest_id_are_taken_and_shown() {
    let mut stage = Stage::set().await;
    let id = long()[1..].to_owned();
    let message = Message { message_id: id.clone(), parts: vec![data(lists(32))], ..user_text("") };
    let request = SendMessageRequest { message: Some(message), ..clients::send_and_return("") };
    let sent = task(stage.client.send_message(request).await.expect("send").into_inner());
    let get = GetTaskRequest { id: sent.id.clone(), ..GetTaskRequest::default() };
    let held = stage.client.get_task(get).await.expect("get").into_inner();
    assert_eq!(held.history[0].message_id, id);
    assert_eq!(held.history[0].parts, [data(lists(32))]);
}

fn all_malformed() -> Vec<Malformed> {
    let mut all = named([
        ("no message", SendMessageRequest { message: None, ..clients::send("") }, vec!["message"]),
        ("an empty request", SendMessageRequest::default(), vec!["message"]),
        (
            "everything at once",
            everything_wrong(),
            vec![
                "tenant",
                "message.messageId",
                "message.parts",
                "message.role",
                "configuration.historyLength",
            ],
        ),
        (
            "negative history length",
            configured(SendMessageConfiguration {
                history_length: Some(-1),
                ..SendMessageConfiguration::default()
            }),
            vec!["configuration.historyLength"],
        ),
        ("a long tenant", SendMessageRequest { tenant: long(), ..clients::send("") }, vec!["tenant"]),
    ]);
    all.extend(malformed_ids());
    all.extend(malformed_parts());
    all.extend(malformed_metadata());
    all.extend(malformed_pushes());
    all
}

fn malformed_ids() -> Vec<Malformed> {
    let mut all = named([
        ("no message id", of(|message| message.message_id.clear()), vec!["message.messageId"]),
        ("a long message id", of(|message| message.message_id = long()), vec!["message.messageId"]),
        ("a long context id", of(|message| message.context_id = long()), vec!["message.contextId"]),
        ("an agent's role", of(|message| message.role = Role::Agent.into()), vec!["message.role"]),
        ("no role", of(|message| message.role = 0), vec!["message.role"]),
        ("an unknown role", of(|message| message.role = 77), vec!["message.role"]),
        (
            "a blank extension",
            of(|message| message.extensions = vec![" ".into()]),
            vec!["message.extensions[0]"],
        ),
        (
            "bad references",
            of(|message| message.reference_task_ids = vec!["ok".into(), String::new(), long()]),
            vec!["message.referenceTaskIds[1]", "message.referenceTaskIds[2]"],
        ),
    ]);
    for control in CONTROLS {
        let mut add = |field, request| all.push((format!("{field} {control:?}"), request, vec![field]));
        add("message.messageId", of(|message| message.message_id = control.to_owned()));
        add("message.contextId", of(|message| message.context_id = control.to_owned()));
        add("tenant", SendMessageRequest { tenant: control.to_owned(), ..clients::send("") });
    }
    all
}

fn malformed_parts() -> Vec<Malformed> {
    let text = clients::text_part("");
    let url = Part { content: Some(Content::Url(String::new())), ..Part::default() };
    let mut all = named([
        ("no parts", of(|message| message.parts.clear()), vec!["message.parts"]),
        (
            "a part without content",
            of(|message| message.parts = vec![Part::default()]),
            vec!["message.parts[0]"],
        ),
        (
            "a later part without content",
            of(|message| message.parts.push(Part { filename: "x".into(), ..Part::default() })),
            vec!["message.parts[1]"],
        ),
        ("an empty url", of(|message| message.parts = vec![url]), vec!["message.parts[0].url"]),
        ("too many parts", of(|message| message.parts = vec![text; 1_001]), vec!["message.parts"]),
    ]);
    for (name, value) in bad_values() {
        let request = of(|message| message.parts = vec![data(value)]);
        all.push((format!("data: {name}"), request, vec!["message.parts[0].data"]));
    }
    all
}

fn malformed_metadata() -> Vec<Malformed> {
    let mut all = Vec::new();
    for (name, metadata) in bad_metadata() {
        let mut add = |field, request| all.push((format!("{field}: {name}"), request, vec![field]));
        let of_request = SendMessageRequest { metadata: Some(metadata.clone()), ..clients::send("") };
        add("metadata", of_request);
        add("message.metadata", of(|message| message.metadata = Some(metadata.clone())));
        add("message.parts[0].metadata", of(|message| message.parts[0].metadata = Some(metadata)));
    }
    all
}

fn malformed_pushes() -> Vec<Malformed> {
    let good = || push_config("c", "https://example.com/");
    let with = |config| clients::with_push(clients::send(""), config);
    named([
        ("a webhook without a url", with(push_config("c", "")), vec![PUSH_URL]),
        ("a webhook on this machine", with(push_config("c", "https://127.0.0.1/")), vec![PUSH_URL]),
        (
            "a webhook of another task",
            with(TaskPushNotificationConfig { task_id: "another".into(), ..good() }),
            vec!["configuration.taskPushNotificationConfig.taskId"],
        ),
        (
            "a webhook of another tenant",
            with(TaskPushNotificationConfig { tenant: "another".into(), ..good() }),
            vec!["configuration.taskPushNotificationConfig.tenant"],
        ),
        (
            "a webhook with line breaks in its secrets",
            with(secret_push_config("c", "https://example.com/", "a\r\nb", "a\nb")),
            vec![
                "configuration.taskPushNotificationConfig.token",
                "configuration.taskPushNotificationConfig.authentication.credentials",
            ],
        ),
    ])
}

fn misfits(prepared: &Prepared) -> Vec<(&'static str, SendMessageRequest, Code, &'static str)> {
    let tenant = |request| SendMessageRequest { tenant: "another".into(), ..request };
    let mut elsewhere = clients::follow_up(&prepared.live, "hello");
    elsewhere.message.as_mut().expect("a message").context_id = "elsewhere".into();
    let nobody = Task { id: "nobody".into(), ..Task::default() };
    vec![
        ("to nobody", clients::follow_up(&nobody, ""), Code::NotFound, "TASK_NOT_FOUND"),
        (
            "of another tenant",
            tenant(clients::follow_up(&prepared.live, "")),
            Code::NotFound,
            "TASK_NOT_FOUND",
        ),
        ("elsewhere", elsewhere, Code::InvalidArgument, "CONTEXT_MISMATCH"),
        (
            "to a finished task",
            clients::follow_up(&prepared.finished, ""),
            Code::FailedPrecondition,
            "UNSUPPORTED_OPERATION",
        ),
    ]
}

fn everything_wrong() -> SendMessageRequest {
    SendMessageRequest {
        tenant: long(),
        message: Some(Message::default()),
        ..configured(SendMessageConfiguration {
            history_length: Some(i32::MIN),
            ..SendMessageConfiguration::default()
        })
    }
}

fn configured(configuration: SendMessageConfiguration) -> SendMessageRequest {
    SendMessageRequest { configuration: Some(configuration), ..clients::send("") }
}

/// A good request with another message.
fn of(change: impl FnOnce(&mut Message)) -> SendMessageRequest {
    let mut message = user_text("hello");
    change(&mut message);
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

fn named<const N: usize>(all: [(&str, SendMessageRequest, Vec<&'static str>); N]) -> Vec<Malformed> {
    all.into_iter().map(|(name, request, fields)| (name.to_owned(), request, fields)).collect()
}
