//! Whatever comes in, nothing panics, and what is accepted can be read again
//! wherever it will be shown.

use a2a_lifecycle::egress::EgressPolicy;
use a2a_proto::{
    a2a::{
        AgentCard, Artifact, AuthenticationInfo, ListTasksRequest, ListTasksResponse, Message, Part,
        SendMessageConfiguration, SendMessageRequest, StreamResponse, Task, TaskArtifactUpdateEvent,
        TaskPushNotificationConfig, TaskStatus, TaskStatusUpdateEvent, part::Content,
        stream_response::Payload,
    },
    agent::{ListAllTasksResponse, TaskRow, WorkItem, WorkRequest},
    json,
};
use proptest::prelude::*;
use prost::Name;
use prost_types::{ListValue, Struct, Timestamp, Value, value::Kind};

use super::{Bounds, SendContext, agent_message, artifact, in_context, list_tasks, push_config, send};
use crate::{
    call::{self, Call},
    modes::Modes,
};

const BOUNDS: Bounds =
    Bounds { max_parts: 5, max_part_bytes: 2_000, max_message_bytes: 4_000, max_metadata_bytes: 1_000 };

fn words() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z]{1,4}", 1 => Just(String::new()), 1 => ".{0,12}", 1 => "\\PC{250,260}"]
}

fn leaf() -> impl Strategy<Value = Option<Kind>> {
    prop_oneof![
        4 => words().prop_map(|text| Some(Kind::StringValue(text))),
        4 => any::<f64>().prop_map(|number| Some(Kind::NumberValue(number))),
        1 => any::<i32>().prop_map(|null| Some(Kind::NullValue(null))),
        1 => Just(Some(Kind::NullValue(0))),
        1 => any::<bool>().prop_map(|truth| Some(Kind::BoolValue(truth))),
        1 => Just(None),
    ]
}

/// A leaf under a tower of lists and objects, most often objects: they take most
/// of what a decoder can follow.
fn value() -> impl Strategy<Value = Value> {
    let tower = |height| prop::collection::vec(prop::bool::weighted(0.97), height);
    let heights = prop_oneof![2 => 0..3_usize, 3 => 28..35_usize];
    (leaf(), heights.prop_flat_map(tower)).prop_map(|(kind, tower)| {
        tower
            .into_iter()
            .fold(Value { kind }, |inner, is_object| Value { kind: Some(around(inner, is_object)) })
    })
}

fn around(inner: Value, is_object: bool) -> Kind {
    if is_object {
        Kind::StructValue(object(inner))
    } else {
        Kind::ListValue(ListValue { values: vec![inner] })
    }
}

fn object(inner: Value) -> Struct {
    Struct { fields: [("k".to_owned(), inner)].into() }
}

fn metadata() -> impl Strategy<Value = Option<Struct>> {
    prop_oneof![3 => Just(None), 1 => value().prop_map(|value| Some(object(value)))]
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        2 => words().prop_map(|text| Some(Content::Text(text))),
        2 => value().prop_map(|value| Some(Content::Data(value))),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(|raw| Some(Content::Raw(raw.into()))),
        1 => words().prop_map(|url| Some(Content::Url(url))),
        1 => Just(None),
    ];
    (content, metadata(), words()).prop_map(|(content, metadata, media_type)| Part {
        content,
        metadata,
        media_type,
        ..Part::default()
    })
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop_oneof![9 => prop::collection::vec(part(), 1..3), 1 => prop::collection::vec(part(), 0..8)]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![6 => Just(1), 6 => Just(2), 1 => any::<i32>()];
    (role, words(), parts(), metadata(), prop::collection::vec(words(), 0..2)).prop_map(
        |(role, message_id, parts, metadata, extensions)| Message {
            role,
            message_id,
            parts,
            metadata,
            extensions,
            ..Message::default()
        },
    )
}

fn an_artifact() -> impl Strategy<Value = Artifact> {
    (words(), parts(), metadata()).prop_map(|(artifact_id, parts, metadata)| Artifact {
        artifact_id,
        parts,
        metadata,
        ..Artifact::default()
    })
}

fn config() -> impl Strategy<Value = TaskPushNotificationConfig> {
    let url = prop_oneof![2 => "https://[a-z.]{1,9}/[a-z]?", 1 => words()];
    let authentication = prop::option::of(
        words().prop_map(|text| AuthenticationInfo { scheme: text.clone(), credentials: text }),
    );
    (words(), words(), url, authentication).prop_map(|(id, token, url, authentication)| {
        TaskPushNotificationConfig { id, token, url, authentication, ..TaskPushNotificationConfig::default() }
    })
}

fn request() -> impl Strategy<Value = SendMessageRequest> {
    let length = prop_oneof![3 => Just(None), 1 => any::<i32>().prop_map(Some)];
    let configuration = (prop::option::weighted(0.2, config()), length).prop_map(|(config, length)| {
        SendMessageConfiguration {
            task_push_notification_config: config,
            history_length: length,
            ..SendMessageConfiguration::default()
        }
    });
    let message = prop_oneof![9 => message().prop_map(Some), 1 => Just(None)];
    (words(), message, prop::option::of(configuration), metadata()).prop_map(
        |(tenant, message, configuration, metadata)| SendMessageRequest {
            tenant,
            message,
            configuration,
            metadata,
        },
    )
}

/// The message decodes again, equal, and prints.
fn survives<M: Name + Default + PartialEq>(message: &M) -> Result<(), TestCaseError> {
    let again = M::decode(message.encode_to_vec().as_slice());
    let again = again.map_err(|error| TestCaseError::fail(format!("{}: {error}", M::full_name())))?;
    prop_assert!(again == *message);
    let printed = json::to_vec(message);
    prop_assert!(printed.is_ok(), "{printed:?}");
    Ok(())
}

/// A task survives wherever it is shown.
fn survives_within(task: Task) -> Result<(), TestCaseError> {
    survives(&task)?;
    survives(&ListTasksResponse { tasks: vec![task.clone()], ..ListTasksResponse::default() })?;
    survives(&ListAllTasksResponse {
        tasks: vec![TaskRow { task: Some(task.clone()), ..TaskRow::default() }],
        ..ListAllTasksResponse::default()
    })?;
    survives(&WorkItem { task: Some(task.clone()), ..WorkItem::default() })?;
    survives(&StreamResponse { payload: Some(Payload::Task(task)) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn an_accepted_message_can_be_read_again(request in request()) {
        let modes = Modes::of(&AgentCard { default_input_modes: vec!["*/*".into()], ..AgentCard::default() });
        let egress = EgressPolicy::default();
        let Ok(send) = send(request, SendContext { egress: &egress, bounds: BOUNDS, modes: &modes }) else {
            return Ok(());
        };
        let request = WorkRequest { message: Some(send.message.clone()), metadata: send.metadata, ..WorkRequest::default() };
        survives(&WorkItem { request: Some(request), ..WorkItem::default() })?;
        survives_within(Task { history: vec![send.message], ..Task::default() })?;
        send.push.iter().try_for_each(survives)?;
    }

    #[test]
    fn an_accepted_word_of_an_agent_can_be_read_again(message in message()) {
        let accepted = agent_message("message", message, "t", || "new".to_owned(), BOUNDS);
        let Ok(message) = accepted.and_then(|message| in_context("message", message, "c")) else {
            return Ok(());
        };
        let status = Some(TaskStatus { message: Some(message.clone()), ..TaskStatus::default() });
        let update = TaskStatusUpdateEvent {
            status: status.clone(),
            metadata: message.metadata.clone(),
            ..TaskStatusUpdateEvent::default()
        };
        survives(&StreamResponse { payload: Some(Payload::StatusUpdate(update)) })?;
        survives(&StreamResponse { payload: Some(Payload::Message(message.clone())) })?;
        survives_within(Task { status, history: vec![message], ..Task::default() })?;
    }

    #[test]
    fn an_accepted_artifact_can_be_read_again(chunk in an_artifact()) {
        let Ok(chunk) = artifact(Some(chunk), BOUNDS) else { return Ok(()) };
        let update = TaskArtifactUpdateEvent { artifact: Some(chunk.clone()), ..TaskArtifactUpdateEvent::default() };
        survives(&StreamResponse { payload: Some(Payload::ArtifactUpdate(update)) })?;
        survives_within(Task { artifacts: vec![chunk], ..Task::default() })?;
    }

    #[test]
    fn an_accepted_config_can_be_read_again(config in config()) {
        let config = TaskPushNotificationConfig { task_id: "t".into(), ..config };
        if let Ok(config) = push_config(config, &EgressPolicy::default()) {
            survives(&config)?;
        }
    }

    #[test]
    fn no_list_panics(
        context in words(),
        token in words(),
        numbers in any::<(i32, Option<i32>, Option<i32>)>(),
        at in any::<Option<(i64, i32)>>(),
    ) {
        let (status, page_size, history_length) = numbers;
        let _ = list_tasks(ListTasksRequest {
            context_id: context,
            page_token: token,
            status,
            page_size,
            history_length,
            status_timestamp_after: at.map(|(seconds, nanos)| Timestamp { seconds, nanos }),
            ..ListTasksRequest::default()
        });
    }

    #[test]
    fn no_header_panics(text in ".{0,40}") {
        let call = Call {
            version: text.clone(),
            idempotency_key: Some(text.clone()),
            resume_after: Some(text.clone()),
            ..Call::default()
        };
        let _ = (call.key().is_ok(), call.resume_revision().is_ok(), call::extensions(&text).count());
    }
}
