//! Connected clients, small messages, and what an error says.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use a2a_proto::{
    a2a::{
        Artifact, AuthenticationInfo, Message, Part, Role, SendMessageConfiguration, SendMessageRequest,
        Task, TaskPushNotificationConfig, a2a_service_client::A2aServiceClient, part::Content,
    },
    agent::agent_service_client::AgentServiceClient,
    push::push_admin_service_client::PushAdminServiceClient,
};
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};
use tonic_types::{ErrorInfo, StatusExt};

const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// What clients call.
pub type A2aClient = A2aServiceClient<Channel>;
/// What workers call.
pub type AgentClient = AgentServiceClient<Channel>;
/// What operators call.
pub type PushAdminClient = PushAdminServiceClient<Channel>;

/// A client of the task service's door for clients.
pub async fn a2a(addr: SocketAddr) -> A2aClient {
    A2aServiceClient::new(channel(addr).await)
}

/// A client of the task service's door for workers.
pub async fn agent(addr: SocketAddr) -> AgentClient {
    AgentServiceClient::new(channel(addr).await)
}

/// A client of the dispatcher.
pub async fn push_admin(addr: SocketAddr) -> PushAdminClient {
    PushAdminServiceClient::new(channel(addr).await)
}

/// A plaintext connection; it is made anew by itself after the server was away.
pub async fn channel(addr: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{addr}")).expect("an address makes a URI");
    let connected = endpoint.connect_timeout(CONNECT_DEADLINE).connect().await;
    connected.unwrap_or_else(|e| panic!("connect to {addr}: {e:?}"))
}

/// A user's message with one text part and an id that this process used for nothing else.
#[must_use]
pub fn user_text(text: &str) -> Message {
    message(Role::User, text)
}

/// An agent's message.
#[must_use]
pub fn agent_text(text: &str) -> Message {
    message(Role::Agent, text)
}

/// One text part.
#[must_use]
pub fn text_part(text: &str) -> Part {
    Part { content: Some(Content::Text(text.to_owned())), ..Part::default() }
}

/// An artifact, or a chunk of one, with one text part.
#[must_use]
pub fn text_artifact(artifact_id: &str, text: &str) -> Artifact {
    Artifact { artifact_id: artifact_id.to_owned(), parts: vec![text_part(text)], ..Artifact::default() }
}

/// Starts a task with `text`; the answer comes when the turn is over.
#[must_use]
pub fn send(text: &str) -> SendMessageRequest {
    SendMessageRequest { message: Some(user_text(text)), ..SendMessageRequest::default() }
}

/// Starts a task with `text`; the answer comes at once.
#[must_use]
pub fn send_and_return(text: &str) -> SendMessageRequest {
    let configuration =
        SendMessageConfiguration { return_immediately: true, ..SendMessageConfiguration::default() };
    SendMessageRequest { configuration: Some(configuration), ..send(text) }
}

/// Continues `task` with `text`.
#[must_use]
pub fn follow_up(task: &Task, text: &str) -> SendMessageRequest {
    let message =
        Message { task_id: task.id.clone(), context_id: task.context_id.clone(), ..user_text(text) };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

/// Adds a webhook to a request that starts a task.
#[must_use]
pub fn with_push(mut request: SendMessageRequest, config: TaskPushNotificationConfig) -> SendMessageRequest {
    request.configuration.get_or_insert_default().task_push_notification_config = Some(config);
    request
}

/// A webhook without secrets.
#[must_use]
pub fn push_config(id: &str, url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        id: id.to_owned(),
        url: url.to_owned(),
        ..TaskPushNotificationConfig::default()
    }
}

/// A webhook that is shown a token and Bearer credentials.
#[must_use]
pub fn secret_push_config(id: &str, url: &str, token: &str, credentials: &str) -> TaskPushNotificationConfig {
    let authentication =
        AuthenticationInfo { scheme: "Bearer".to_owned(), credentials: credentials.to_owned() };
    TaskPushNotificationConfig {
        token: token.to_owned(),
        authentication: Some(authentication),
        ..push_config(id, url)
    }
}

/// The `google.rpc.ErrorInfo` that every refusal carries.
#[must_use]
#[track_caller]
pub fn error_info(status: &Status) -> ErrorInfo {
    status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"))
}

/// The reason in it, such as `TASK_NOT_FOUND`.
#[must_use]
#[track_caller]
pub fn reason(status: &Status) -> String {
    error_info(status).reason
}

/// The fields that a `google.rpc.BadRequest` complains of; empty without one.
#[must_use]
pub fn violations(status: &Status) -> Vec<String> {
    let violations = status.get_details_bad_request().map(|bad_request| bad_request.field_violations);
    violations.into_iter().flatten().map(|violation| violation.field).collect()
}

/// How long a `google.rpc.RetryInfo` asks to wait.
#[must_use]
pub fn retry_delay(status: &Status) -> Option<Duration> {
    status.get_details_retry_info()?.retry_delay
}

fn message(role: Role, text: &str) -> Message {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Message {
        message_id: format!("message-{count}"),
        role: role.into(),
        parts: vec![text_part(text)],
        ..Message::default()
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;
    use tonic_types::ErrorDetails;

    use super::*;

    #[test]
    fn details_of_an_error_are_read() {
        let mut details = ErrorDetails::with_error_info("TASK_NOT_FOUND", "a2a-protocol.org", []);
        details.add_bad_request_violation("message.parts[0]", "is empty");
        details.set_retry_info(Some(Duration::from_secs(1)));
        let status = Status::with_error_details(Code::NotFound, "no such task", details);
        assert_eq!(reason(&status), "TASK_NOT_FOUND");
        assert_eq!(error_info(&status).domain, "a2a-protocol.org");
        assert_eq!(violations(&status), ["message.parts[0]"]);
        assert_eq!(retry_delay(&status), Some(Duration::from_secs(1)));
    }

    #[test]
    fn every_message_has_an_id_of_its_own() {
        assert_ne!(user_text("hi").message_id, user_text("hi").message_id);
    }

    #[test]
    fn a_webhook_is_added_to_what_the_request_already_asks() {
        let request = with_push(send_and_return("hi"), push_config("c", "http://127.0.0.1/c"));
        let configuration = request.configuration.unwrap();
        assert!(configuration.return_immediately);
        assert_eq!(configuration.task_push_notification_config.unwrap().id, "c");
    }
}
