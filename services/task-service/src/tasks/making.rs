//! What a message makes: a task, or a change of one, and the work of its agent.

use a2a_lifecycle::State;
use a2a_proto::{
    a2a::{Message, StreamResponse, Task, TaskPushNotificationConfig, TaskStatus, stream_response::Payload},
    agent::WorkRequest,
};
use a2a_runtime::{clock, random};
use a2a_store::{MessageChange, NewPush, NewTask, TaskHead};

use super::{identity::Identity, timestamp};
use crate::{call::Call, parse::Send};

/// The task that a message makes.
pub(super) fn new_task(call: &Call, send: Send, identity: &Identity, provisional: bool) -> NewTask {
    let (id, at_ms) = (identity.task.clone(), clock::unix_ms());
    let context = send.context.clone().unwrap_or_else(|| random::uuid().to_string());
    let message = placed(send.message.clone(), &id, &context);
    let status =
        TaskStatus { state: State::Submitted.number(), message: None, timestamp: Some(timestamp(at_ms)) };
    let task = Task {
        id: id.clone(),
        context_id: context.clone(),
        status: Some(status.clone()),
        history: vec![message.clone()],
        ..Task::default()
    };
    NewTask {
        change_id: identity.change_id.clone(),
        tenant: send.tenant.clone(),
        owner: String::new(),
        at_ms,
        status,
        metadata: None,
        request: work_request(call, &send, message.clone()),
        message,
        response: StreamResponse { payload: Some(Payload::Task(task)) },
        trace: call.stored_trace(),
        push: send.push.map(|config| new_push(config, &id, usize::MAX)),
        provisional,
        context,
        id,
    }
}

/// The task as it was created.
pub(super) fn as_created(new: &NewTask) -> Task {
    match &new.response.payload {
        Some(Payload::Task(task)) => task.clone(),
        _ => Task::default(),
    }
}

/// The change that a further message makes.
pub(super) fn message_change<'a>(
    call: &Call,
    send: &Send,
    head: &'a TaskHead,
    identity: &Identity,
    remember_ms: u64,
    max_configs: usize,
) -> MessageChange<'a> {
    let message = placed(send.message.clone(), &head.id, &head.context);
    MessageChange {
        change_id: identity.change_id.clone(),
        head,
        at_ms: clock::unix_ms(),
        request: work_request(call, send, message.clone()),
        message,
        trace: call.stored_trace(),
        push: send.push.clone().map(|config| new_push(config, &head.id, max_configs)),
        remember_ms,
    }
}

/// The message with the ids of the task and context that it is now part of.
fn placed(message: Message, task: &str, context: &str) -> Message {
    Message { task_id: task.to_owned(), context_id: context.to_owned(), ..message }
}

fn new_push(config: TaskPushNotificationConfig, task: &str, max_configs: usize) -> NewPush {
    let id = if config.id.is_empty() { random::uuid().to_string() } else { config.id };
    NewPush { config: TaskPushNotificationConfig { id, task_id: task.to_owned(), ..config }, max_configs }
}

fn work_request(call: &Call, send: &Send, message: Message) -> WorkRequest {
    WorkRequest {
        message: Some(message),
        accepted_output_modes: send.accepted_output_modes.clone(),
        metadata: send.metadata.clone(),
        extensions: call.extensions.clone(),
        tenant: send.tenant.clone(),
        caller: String::new(),
        traceparent: call.trace.traceparent.clone(),
        tracestate: call.trace.tracestate.clone(),
    }
}
