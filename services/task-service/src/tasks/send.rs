//! SendMessage and SendStreamingMessage: a message starts a task or continues
//! one.

use a2a_lifecycle::{State, transition::take_message};
use a2a_proto::{
    a2a::{
        Message, SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig, TaskStatus,
        stream_response::Payload,
    },
    agent::WorkRequest,
};
use a2a_runtime::{clock, random};
use a2a_store::{Commit, MessageChange, NewPush, NewTask, Parts, TaskHead};

use super::{COMMIT_TRIES, TaskStream, Tasks, Until, timestamp};
use crate::{
    call::Call,
    error::Error,
    follow::{Follow, Item},
    hub::Subscription,
    parse::{self, Send},
};

/// What a send is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The task.
    pub task: Task,
    /// Its revision.
    pub revision: u64,
}

/// A message that was taken.
struct Taken {
    task: String,
    /// The revision at which the task took it.
    revision: u64,
    subscription: Subscription,
    /// The task as it was then, where that is known without reading it.
    as_created: Option<Task>,
}

impl Tasks {
    /// Takes a message; waits for its turn to end unless asked not to.
    pub async fn send(&self, call: &Call, request: SendMessageRequest) -> Result<Answer, Error> {
        let send = self.admit_send(call, request)?;
        let (immediately, history_length) = (send.return_immediately, send.history_length);
        let taken = self.take(call, send).await?;
        match taken.as_created {
            Some(task) if immediately => {
                Ok(Answer { task: with_history(task, history_length), revision: taken.revision })
            }
            _ if immediately => self.answer(&taken.task, history_length).await,
            _ => {
                let task = taken.task.clone();
                self.wait_for_turn(taken).await?;
                self.answer(&task, history_length).await
            }
        }
    }

    /// Takes a message and follows its turn: the task first, then each change,
    /// up to a terminal state or INPUT_REQUIRED.
    pub async fn send_streaming(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<TaskStream, Error> {
        call.admit(&self.card)?;
        if !self.card.streams() {
            return Err(Error::StreamingNotSupported);
        }
        let send = self.admit_send(call, request)?;
        let history_length = send.history_length;
        let Taken { task, revision, subscription, as_created } = self.take(call, send).await?;
        let first = match as_created {
            Some(task) => created_item(with_history(task, history_length), revision),
            None => self.snapshot(&task, history_length).await?,
        };
        let follow = self.follow(subscription, first.revision, history_length);
        Ok(TaskStream::new(Some(first), follow, Until::TurnEnds { after: revision }))
    }

    fn admit_send(&self, call: &Call, request: SendMessageRequest) -> Result<Send, Error> {
        call.admit(&self.card)?;
        let wants_push =
            request.configuration.as_ref().is_some_and(|c| c.task_push_notification_config.is_some());
        if wants_push && !self.card.pushes() {
            return Err(Error::PushNotSupported);
        }
        parse::send(request, self.send_context())
    }

    async fn take(&self, call: &Call, send: Send) -> Result<Taken, Error> {
        match send.task.clone() {
            Some(task) => self.continue_task(call, send, task).await,
            None => self.create_task(call, send).await,
        }
    }

    async fn create_task(&self, call: &Call, send: Send) -> Result<Taken, Error> {
        let id = random::uuid().to_string();
        let subscription = self.hub.subscribe(&id);
        let new = new_task(call, send, id);
        let task = match &new.response.payload {
            Some(Payload::Task(task)) => Some(task.clone()),
            _ => None,
        };
        match self.store.create(&new).await? {
            Commit::Applied => Ok(Taken { task: new.id, revision: 1, subscription, as_created: task }),
            // The id is a fresh random one: only a store gone wrong refuses it.
            _ => Err(Error::Contended),
        }
    }

    async fn continue_task(&self, call: &Call, send: Send, task: String) -> Result<Taken, Error> {
        let subscription = self.hub.subscribe(&task);
        for _ in 0..COMMIT_TRIES {
            let head = self.visible(&send.tenant, &task).await?;
            let revision = take_message(&head.lifecycle(), send.context.as_deref(), &self.policy.rules)?;
            let change = self.message_change(call, &send, &head);
            match self.store.add_message(&change).await? {
                Commit::Applied => {
                    return Ok(Taken { task, revision, subscription, as_created: None });
                }
                Commit::Gone => return Err(Error::NotFound),
                Commit::Full => return Err(Error::ConfigLimit(self.policy.max_push_configs)),
                Commit::Conflict | Commit::Fenced => {}
            }
        }
        Err(Error::Contended)
    }

    fn message_change<'a>(&self, call: &Call, send: &Send, head: &'a TaskHead) -> MessageChange<'a> {
        let message = placed(send.message.clone(), &head.id, &head.context);
        let max_configs = self.policy.max_push_configs;
        MessageChange {
            change_id: random::uuid().to_string(),
            head,
            at_ms: clock::unix_ms(),
            request: work_request(call, send, message.clone()),
            message,
            trace: call.stored_trace(),
            push: send.push.clone().map(|config| new_push(config, &head.id, max_configs)),
        }
    }

    /// Waits for the first state after `taken` that ends its turn; past the
    /// longest wait the task is answered as it stands.
    async fn wait_for_turn(&self, taken: Taken) -> Result<(), Error> {
        let after = taken.revision;
        let mut follow = self.follow(taken.subscription, after, Some(0));
        let turn_ends = async {
            loop {
                if follow.next().await?.entered_after(after).is_some_and(State::ends_turn) {
                    return Ok(());
                }
            }
        };
        match self.policy.max_blocking_wait {
            None => turn_ends.await,
            Some(longest) => tokio::time::timeout(longest, turn_ends).await.unwrap_or(Ok(())),
        }
    }

    async fn answer(&self, task: &str, history_length: Option<usize>) -> Result<Answer, Error> {
        let parts = Parts { history: history_length != Some(0), artifacts: true };
        let view = self.store.read(task, parts).await?.ok_or(Error::NotFound)?;
        Ok(Answer { revision: view.head.revision, task: view.into_task(history_length) })
    }

    pub(super) async fn snapshot(&self, task: &str, history_length: Option<usize>) -> Result<Item, Error> {
        let parts = Parts { history: history_length != Some(0), artifacts: true };
        let view = self.store.read(task, parts).await?.ok_or(Error::NotFound)?;
        Ok(Item::snapshot(view, history_length))
    }

    pub(super) fn follow(&self, from: Subscription, cursor: u64, history_length: Option<usize>) -> Follow {
        Follow::after(self.store.clone(), from, cursor, self.stopping.clone(), history_length)
    }
}

fn created_item(task: Task, revision: u64) -> Item {
    Item::change(revision, StreamResponse { payload: Some(Payload::Task(task)) })
}

fn with_history(mut task: Task, history_length: Option<usize>) -> Task {
    if history_length == Some(0) {
        task.history.clear();
    }
    task
}

fn new_task(call: &Call, send: Send, id: String) -> NewTask {
    let at_ms = clock::unix_ms();
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
        change_id: random::uuid().to_string(),
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
        context,
        id,
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
