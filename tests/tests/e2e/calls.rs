//! The circumstances of a call, small requests, and what a refusal says.

use a2a_proto::{
    a2a::{
        CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, SendMessageRequest,
        SubscribeToTaskRequest, Task,
    },
    agent::{TransitionRequest, UpdateArtifactRequest},
};
use a2a_tests::{clients, redis::RedisServer};
use redis::streams::StreamRangeReply;
use tonic::{Code, Request, Status};

use crate::stage::transition;

/// The id of no task.
pub(crate) const NO_TASK: &str = "00000000-0000-4000-8000-000000000000";
/// A version of the protocol that is not spoken here.
pub(crate) const OLD: &str = "0.3";
/// An extension that the cards of some tests require.
pub(crate) const EXTENSION: &str = "https://example.com/extensions/required/v1";

/// Every pair of tenants that are not each other's: whose task it is, and who
/// asks. Empty is nobody's.
pub(crate) const STRANGERS: [(&str, &str); 3] = [("acme", "globex"), ("acme", ""), ("", "acme")];

/// A request that names a version of the protocol.
pub(crate) fn at_version<T>(version: &'static str, message: T) -> Request<T> {
    with_metadata("a2a-version", version, message)
}

/// A request that names the extensions its caller understands.
pub(crate) fn with_extensions<T>(uris: &'static str, message: T) -> Request<T> {
    with_metadata("a2a-extensions", uris, message)
}

/// A message for a task or context, in the name of a tenant.
pub(crate) fn message_of(tenant: &str, message: Message) -> SendMessageRequest {
    SendMessageRequest { tenant: tenant.to_owned(), message: Some(message), ..SendMessageRequest::default() }
}

/// A message that continues the task of that id, whatever its context.
pub(crate) fn to_task(id: &str, text: &str) -> SendMessageRequest {
    message_of("", Message { task_id: id.to_owned(), ..clients::user_text(text) })
}

/// The same request, in the name of a tenant.
pub(crate) fn as_tenant(tenant: &str, request: SendMessageRequest) -> SendMessageRequest {
    SendMessageRequest { tenant: tenant.to_owned(), ..request }
}

/// The same request, answered at once.
pub(crate) fn at_once(mut request: SendMessageRequest) -> SendMessageRequest {
    request.configuration.get_or_insert_default().return_immediately = true;
    request
}

/// The same request, with at most so many messages of history in the answer.
pub(crate) fn with_history(mut request: SendMessageRequest, most: Option<i32>) -> SendMessageRequest {
    request.configuration.get_or_insert_default().history_length = most;
    request
}

pub(crate) fn get(id: &str) -> GetTaskRequest {
    GetTaskRequest { id: id.to_owned(), ..GetTaskRequest::default() }
}

pub(crate) fn list(tenant: &str) -> ListTasksRequest {
    ListTasksRequest { tenant: tenant.to_owned(), ..ListTasksRequest::default() }
}

pub(crate) fn cancel(id: &str) -> CancelTaskRequest {
    CancelTaskRequest { id: id.to_owned(), ..CancelTaskRequest::default() }
}

pub(crate) fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest { id: id.to_owned(), ..SubscribeToTaskRequest::default() }
}

/// A move of a task with a word from the agent.
pub(crate) fn saying(task: &Task, text: &str) -> TransitionRequest {
    TransitionRequest { status_message: Some(clients::agent_text(text)), ..transition(task) }
}

/// An artifact in the place of what is held under its id.
pub(crate) fn put(task: &Task, artifact: &str, text: &str) -> UpdateArtifactRequest {
    UpdateArtifactRequest {
        id: task.id.clone(),
        artifact: Some(clients::text_artifact(artifact, text)),
        ..UpdateArtifactRequest::default()
    }
}

/// A chunk behind what is held under its id.
pub(crate) fn append(task: &Task, artifact: &str, text: &str) -> UpdateArtifactRequest {
    UpdateArtifactRequest { append: true, ..put(task, artifact, text) }
}

/// What every refusal must say.
#[track_caller]
pub(crate) fn assert_refused(refused: &Status, code: Code, reason: &str) {
    let info = clients::error_info(refused);
    let said = (refused.code(), info.reason.as_str(), info.domain.as_str());
    assert_eq!(said, (code, reason, "a2a-protocol.org"), "{refused:?}");
}

#[track_caller]
pub(crate) fn assert_not_found(refused: &Status) {
    assert_refused(refused, Code::NotFound, "TASK_NOT_FOUND");
}

#[track_caller]
pub(crate) fn assert_old_version(refused: &Status) {
    assert_refused(refused, Code::FailedPrecondition, "VERSION_NOT_SUPPORTED");
}

#[track_caller]
pub(crate) fn assert_extension_required(refused: &Status) {
    assert_refused(refused, Code::FailedPrecondition, "EXTENSION_SUPPORT_REQUIRED");
}

/// A request that is refused for one field.
#[track_caller]
pub(crate) fn assert_bad_field(refused: &Status, field: &str) {
    assert_refused(refused, Code::InvalidArgument, "INVALID_ARGUMENT");
    assert_eq!(clients::violations(refused), [field]);
}

/// A refusal byte for byte.
pub(crate) fn wire(refused: &Status) -> (Code, String, Vec<u8>) {
    (refused.code(), refused.message().to_owned(), refused.details().to_vec())
}

/// What was recorded of a task, by the name of the event, in order.
pub(crate) async fn recorded(redis: &RedisServer, task: &str) -> Vec<String> {
    let mut connection = redis.client().await;
    let streams: Vec<String> =
        redis::cmd("KEYS").arg("*:changes").query_async(&mut connection).await.expect("keys");
    let mut kinds = Vec::new();
    for stream in streams {
        let entries: StreamRangeReply = redis::cmd("XRANGE")
            .arg(stream)
            .arg("-")
            .arg("+")
            .query_async(&mut connection)
            .await
            .expect("changes");
        let of_task = entries.ids.iter().filter(|entry| entry.get::<String>("task").as_deref() == Some(task));
        kinds.extend(of_task.filter_map(|entry| entry.get::<String>("kind")));
    }
    kinds
}

/// A request under a key that lets it be sent again.
pub(crate) fn keyed<T>(key: &str, message: T) -> Request<T> {
    with_metadata("idempotency-key", key, message)
}

/// A request with one more header.
pub(crate) fn with_metadata<T>(name: &'static str, value: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert(name, value.parse().expect("a metadata value"));
    request
}
