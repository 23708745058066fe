//! SendMessage and SendStreamingMessage: a message starts a task or continues
//! one.

use a2a_lifecycle::{State, transition::take_message};
use a2a_proto::a2a::{
    Message, SendMessageRequest, StreamResponse, Task, send_message_response, stream_response::Payload,
};
use a2a_store::{Commit, Created, Parts};

use super::{
    COMMIT_TRIES, TaskStream, Tasks, Until, first::FirstWord, identity::Identity, making, shorten_history,
};
use crate::{
    call::Call,
    error::Error,
    follow::{Follow, Item},
    hub::Subscription,
    parse::{self, Send},
};

/// What a send is answered with.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The task, and its revision.
    Task(Task, u64),
    /// The agent's message: no task came of it.
    Message(Message),
}

impl Answer {
    /// The revision of the task that it shows.
    #[must_use]
    pub fn revision(&self) -> Option<u64> {
        match self {
            Self::Task(_, revision) => Some(*revision),
            Self::Message(_) => None,
        }
    }
}

impl From<Answer> for send_message_response::Payload {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Task(task, _) => Self::Task(task),
            Answer::Message(message) => Self::Message(message),
        }
    }
}

/// A message that was taken.
struct Taken {
    task: String,
    /// The revision at which the task took it.
    revision: u64,
    subscription: Subscription,
    kind: TakenKind,
}

enum TakenKind {
    /// Into a new task, as it is.
    Created(Box<Task>),
    /// Into a task that its agent may still answer with a message.
    Proposed,
    /// Into a task that has to be read: it was there before.
    Continued,
}

impl Tasks {
    /// Takes a message; waits for its turn to end unless asked not to.
    pub async fn send(&self, call: &Call, request: SendMessageRequest) -> Result<Answer, Error> {
        let (send, identity) = self.admit_send(call, request).await?;
        let (immediately, history_length) = (send.return_immediately, send.history_length);
        let Taken { task, revision, subscription, kind } = self.take(call, send, identity).await?;
        let proposed = match kind {
            TakenKind::Created(created) if immediately => {
                return Ok(Answer::Task(with_history(*created, history_length), revision));
            }
            TakenKind::Proposed => true,
            TakenKind::Created(_) | TakenKind::Continued => false,
        };
        let mut follow = self.follow(subscription, revision, Some(0));
        let mut turn_ended = false;
        if proposed {
            let patience = self.policy.direct_replies.filter(|_| immediately);
            match self.first_word(call, &task, &mut follow, patience).await? {
                FirstWord::Message(message) => return Ok(Answer::Message(*message)),
                FirstWord::Task(found) => {
                    turn_ended = found.entered_after(revision).is_some_and(State::ends_turn);
                }
            }
        }
        if !immediately && !turn_ended {
            self.wait_for_turn(follow, revision).await?;
        }
        self.answer(&task, history_length).await
    }

    /// Takes a message and follows its turn: the task first, then each change,
    /// up to a terminal state or INPUT_REQUIRED; or just the agent's message.
    pub async fn send_streaming(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<TaskStream, Error> {
        if !self.admit(call, &request.tenant)?.streams() {
            return Err(Error::StreamingNotSupported);
        }
        let (send, identity) = self.admit_send(call, request).await?;
        let place = match self.streams.enter(&send.tenant) {
            Ok(place) => place,
            Err(full) => return Err(self.objection(&send).await.err().unwrap_or(full)),
        };
        let history_length = send.history_length;
        let Taken { task, revision, subscription, kind } = self.take(call, send, identity).await?;
        let first = match kind {
            TakenKind::Created(task) => Some(created_item(with_history(*task, history_length), revision)),
            TakenKind::Continued => Some(self.snapshot(&task, history_length).await?),
            TakenKind::Proposed => None,
        };
        let cursor = first.as_ref().map_or(revision, |first| first.revision);
        let follow = self.follow(subscription, cursor, history_length);
        Ok(TaskStream::new(first, follow, Until::TurnEnds { after: revision }).counted(place))
    }

    async fn admit_send(&self, call: &Call, request: SendMessageRequest) -> Result<(Send, Identity), Error> {
        let card = self.admit(call, &request.tenant)?;
        let wants_push =
            request.configuration.as_ref().is_some_and(|c| c.task_push_notification_config.is_some());
        if wants_push && !card.pushes() {
            return Err(Error::PushNotSupported);
        }
        let send = parse::send(request.clone(), self.send_context(&card))?;
        let identity = self.identify(call, &request).await?;
        Ok((send, identity))
    }

    /// What speaks against a message beside the limit of streams: it is said first.
    async fn objection(&self, send: &Send) -> Result<(), Error> {
        let Some(task) = &send.task else { return Ok(()) };
        let head = self.visible(&send.tenant, task).await?;
        take_message(&head.lifecycle(), send.context.as_deref(), &self.policy.rules)?;
        Ok(())
    }

    async fn take(&self, call: &Call, send: Send, identity: Identity) -> Result<Taken, Error> {
        match send.task.clone() {
            Some(task) => self.continue_task(call, send, task, identity).await,
            None => self.create_task(call, send, identity).await,
        }
    }

    async fn create_task(&self, call: &Call, send: Send, identity: Identity) -> Result<Taken, Error> {
        self.admit_context(&send).await?;
        match self.policy.max_tasks_per_tenant {
            0 => self.create(call, send, identity).await.map(|(taken, _)| taken),
            most => {
                // A caller that goes away must not leave a reservation behind.
                let (tasks, call) = (self.clone(), call.clone());
                let created =
                    tokio::spawn(async move { tasks.create_counted(&call, send, identity, most).await });
                created.await.unwrap_or(Err(Error::Contended))
            }
        }
    }

    async fn create_counted(
        &self,
        call: &Call,
        send: Send,
        identity: Identity,
        most: u64,
    ) -> Result<Taken, Error> {
        let (tenant, task, keyed) = (send.tenant.clone(), identity.task.clone(), identity.keyed);
        if !self.store.reserve_task(&tenant, most).await? {
            return self.repeated(&task, keyed).await?.ok_or(Error::TaskLimit(most));
        }
        let outcome = self.create(call, send, identity).await;
        if !matches!(outcome, Ok((_, Created::New))) {
            self.store.release_task(&tenant).await?;
        }
        outcome.map(|(taken, _)| taken)
    }

    async fn create(&self, call: &Call, send: Send, identity: Identity) -> Result<(Taken, Created), Error> {
        let (task, keyed) = (identity.task.clone(), identity.keyed);
        let subscription = self.hub.subscribe(&task);
        let provisional = self.policy.direct_replies.is_some();
        let new = making::new_task(call, send, &identity, provisional);
        let created = self.store.create(&new).await?;
        let kind = match created {
            Created::New if provisional => TakenKind::Proposed,
            Created::New => TakenKind::Created(Box::new(making::as_created(&new))),
            // Where the log no longer tells how the task began, the key does.
            Created::Repeated => return Ok((self.taken_before(task, 1, subscription), created)),
            Created::Taken if keyed => return Ok((self.taken_before(task, 1, subscription), created)),
            // The id is a fresh random one: only a store gone wrong refuses it.
            Created::Taken => return Err(Error::Contended),
        };
        Ok((Taken { task, revision: 1, subscription, kind }, created))
    }

    /// What the same send made before, if it did.
    async fn repeated(&self, task: &str, keyed: bool) -> Result<Option<Taken>, Error> {
        let made = keyed
            && (self.store.head(task).await?.is_some() || self.store.direct_reply(task).await?.is_some());
        let subscription = self.hub.subscribe(task);
        Ok(made.then(|| self.taken_before(task.to_owned(), 1, subscription)))
    }

    /// A message that was taken by an earlier call: what has happened since is
    /// in the log.
    fn taken_before(&self, task: String, revision: u64, subscription: Subscription) -> Taken {
        subscription.catch_up();
        let proposed = self.policy.direct_replies.is_some() && revision == 1;
        let kind = if proposed { TakenKind::Proposed } else { TakenKind::Continued };
        Taken { task, revision, subscription, kind }
    }

    async fn admit_context(&self, send: &Send) -> Result<(), Error> {
        match &send.context {
            Some(context) if !self.policy.accepts_unknown_contexts => {
                let known = self.store.knows_context(&send.tenant, context).await?;
                if known { Ok(()) } else { Err(Error::ContextNotAccepted) }
            }
            _ => Ok(()),
        }
    }

    async fn continue_task(
        &self,
        call: &Call,
        send: Send,
        task: String,
        identity: Identity,
    ) -> Result<Taken, Error> {
        let subscription = self.hub.subscribe(&task);
        let remember_ms = if identity.keyed { self.policy.idempotency_ms } else { 0 };
        for _ in 0..COMMIT_TRIES {
            let head = self.visible(&send.tenant, &task).await?;
            let decided = take_message(&head.lifecycle(), send.context.as_deref(), &self.policy.rules);
            if identity.keyed
                && let Some(revision) = self.store.taken_at(&task, &identity.change_id).await?
            {
                return Ok(self.taken_before(task, revision, subscription));
            }
            decided?;
            let max_configs = self.policy.max_push_configs;
            let change = making::message_change(call, &send, &head, &identity, remember_ms, max_configs);
            match self.store.add_message(&change).await? {
                (Commit::Applied, revision) => {
                    return Ok(Taken { task, revision, subscription, kind: TakenKind::Continued });
                }
                (Commit::Gone, _) => return Err(Error::NotFound),
                (Commit::Full, _) => return Err(Error::ConfigLimit(max_configs)),
                (Commit::Conflict | Commit::Fenced, _) => {}
            }
        }
        Err(Error::Contended)
    }

    /// Waits for the first state entered after `after` that ends a turn; past the
    /// longest wait the task is answered as it stands.
    async fn wait_for_turn(&self, mut follow: Follow, after: u64) -> Result<(), Error> {
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
        let revision = view.head.revision;
        Ok(Answer::Task(view.into_task(history_length), revision))
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
    shorten_history(&mut task, history_length);
    task
}
