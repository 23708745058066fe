//! SendMessage and SendStreamingMessage.

use a2a_lifecycle::egress::EgressPolicy;
use a2a_proto::a2a::{
    Message, Role, SendMessageConfiguration, SendMessageRequest, TaskPushNotificationConfig,
};
use prost_types::Struct;

use super::{Bounds, Violations, content, history_length, push};
use crate::{error::Error, modes::Modes};

/// A message for a task, or for a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Empty for a request without a tenant.
    pub tenant: String,
    /// The message, as its author wrote it.
    pub message: Message,
    /// The task that it continues.
    pub task: Option<String>,
    /// The context that it names.
    pub context: Option<String>,
    /// Media types that the client can take.
    pub accepted_output_modes: Vec<String>,
    /// A webhook to register in the same step, without ids that the server makes.
    pub push: Option<TaskPushNotificationConfig>,
    /// Most messages of history in the answer.
    pub history_length: Option<usize>,
    /// Answer as soon as the message is taken.
    pub return_immediately: bool,
    /// Of the request.
    pub metadata: Option<Struct>,
}

/// What the input is held against.
#[derive(Clone, Copy, Debug)]
pub struct SendContext<'a> {
    /// Where webhooks may point.
    pub egress: &'a EgressPolicy,
    /// How much a message may hold.
    pub bounds: Bounds,
    /// The media types that the agent takes.
    pub modes: &'a Modes,
}

/// Reads a request.
pub fn send(request: SendMessageRequest, within: SendContext<'_>) -> Result<Send, Error> {
    let SendMessageRequest { tenant, message, configuration, metadata } = request;
    let SendMessageConfiguration {
        accepted_output_modes,
        task_push_notification_config,
        history_length: length,
        return_immediately,
    } = configuration.unwrap_or_default();
    let mut violations = Violations::default();
    violations.optional_id("tenant", &tenant);
    let message = required_message(&mut violations, message, within.bounds);
    content::check_metadata(&mut violations, "metadata", metadata.as_ref(), within.bounds);
    let history_length = history_length(&mut violations, "configuration.historyLength", length);
    let push = task_push_notification_config
        .map(|config| inline_push(&mut violations, config, &tenant, &message.task_id, within.egress));
    violations.finish()?;
    within.modes.check(&message)?;
    Ok(Send {
        task: some(&message.task_id),
        context: some(&message.context_id),
        tenant,
        message,
        accepted_output_modes,
        push,
        history_length,
        return_immediately,
        metadata,
    })
}

fn required_message(violations: &mut Violations, message: Option<Message>, bounds: Bounds) -> Message {
    let Some(message) = message else {
        violations.add("message", "is required");
        return Message::default();
    };
    content::check_message(violations, "message", &message, bounds);
    if message.role != Role::User as i32 {
        violations.add("message.role", "must be ROLE_USER");
    }
    message
}

/// The config may name the task and tenant of the request, or leave them empty.
fn inline_push(
    violations: &mut Violations,
    config: TaskPushNotificationConfig,
    tenant: &str,
    task: &str,
    egress: &EgressPolicy,
) -> TaskPushNotificationConfig {
    const PATH: &str = "configuration.taskPushNotificationConfig";
    if !config.task_id.is_empty() && config.task_id != task {
        violations
            .add(format!("{PATH}.taskId"), "must be empty: the config belongs to the task of the message");
    }
    if !config.tenant.is_empty() && config.tenant != tenant {
        violations.add(format!("{PATH}.tenant"), "must be that of the request");
    }
    push::check(violations, &format!("{PATH}."), &config, egress);
    TaskPushNotificationConfig { tenant: tenant.to_owned(), ..config }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
