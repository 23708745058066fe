//! Following a task: a snapshot or a known revision, then every later change
//! once, in order, without a gap.

use std::{collections::VecDeque, sync::Arc};

use a2a_lifecycle::State;
use a2a_proto::a2a::{StreamResponse, stream_response::Payload};
use a2a_store::{LogRead, Parts, Store, TaskView};
use tokio_util::sync::CancellationToken;

use crate::{
    error::Error,
    hub::{Live, Signal, Subscription},
    tasks::shorten_history,
};

/// A reader whose cursor lives in memory.
pub struct Follow {
    store: Store,
    subscription: Subscription,
    cursor: u64,
    ready: VecDeque<Item>,
    stopping: CancellationToken,
    history_length: Option<usize>,
}

/// What a follower sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The task's revision with it.
    pub revision: u64,
    /// What a client is sent.
    pub response: StreamResponse,
    /// The state that the task entered, or was found in, and the revision at
    /// which it did.
    pub entered: Option<(State, u64)>,
}

impl Follow {
    /// Follows what comes after revision `cursor`. The subscription must have
    /// been made before that revision was read.
    #[must_use]
    pub fn after(
        store: Store,
        subscription: Subscription,
        cursor: u64,
        stopping: CancellationToken,
        history_length: Option<usize>,
    ) -> Self {
        Self { store, subscription, cursor, ready: VecDeque::new(), stopping, history_length }
    }

    /// Makes the next change be looked up in the log.
    pub fn look_again(&self) {
        self.subscription.catch_up();
    }

    /// The next change. Fails when the service stops, or when the task is gone.
    pub async fn next(&mut self) -> Result<Item, Error> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(item);
            }
            let signal = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return Err(Error::Stopping),
                signal = self.subscription.next() => signal,
            };
            match signal {
                Signal::Change(live) => self.take(&live).await?,
                Signal::CatchUp => self.catch_up().await?,
            }
        }
    }

    async fn take(&mut self, live: &Arc<Live>) -> Result<(), Error> {
        if live.revision <= self.cursor {
            return Ok(());
        }
        if live.revision > self.cursor + 1 {
            return self.catch_up().await;
        }
        self.push(live.revision, live.response.clone());
        Ok(())
    }

    /// Reads on from the log, or starts over with a snapshot where the log no
    /// longer reaches back to the cursor.
    async fn catch_up(&mut self) -> Result<(), Error> {
        loop {
            // Read before the log, which therefore holds all that it counts: a
            // log that ends earlier has lost entries.
            let Some(head) = self.store.head(self.subscription.task()).await? else {
                return self.take_reply().await;
            };
            match self.store.log_after(self.subscription.task(), self.cursor).await? {
                LogRead::Entries(entries) if !entries.is_empty() => {
                    entries.into_iter().for_each(|entry| self.push(entry.revision, entry.response));
                }
                LogRead::Entries(_) if head.revision <= self.cursor => return Ok(()),
                LogRead::Entries(_) | LogRead::Gap => self.start_over().await?,
            }
        }
    }

    async fn start_over(&mut self) -> Result<(), Error> {
        let Some(view) = self.store.read(self.subscription.task(), Parts::ALL).await? else {
            return self.take_reply().await;
        };
        self.cursor = view.head.revision;
        self.ready.push_back(Item::snapshot(view, self.history_length));
        Ok(())
    }

    /// A task that is gone may have been answered with a message.
    async fn take_reply(&mut self) -> Result<(), Error> {
        let reply = self.store.direct_reply(self.subscription.task()).await?.ok_or(Error::NotFound)?;
        self.cursor += 1;
        self.ready.push_back(Item::change(self.cursor, reply));
        Ok(())
    }

    fn push(&mut self, revision: u64, response: Option<StreamResponse>) {
        self.cursor = revision;
        let Some(mut response) = response else { return };
        if let Some(Payload::Task(task)) = &mut response.payload {
            shorten_history(task, self.history_length);
        }
        self.ready.push_back(Item::change(revision, response));
    }
}

impl Item {
    /// The task as it stood.
    #[must_use]
    pub fn snapshot(view: TaskView, history_length: Option<usize>) -> Self {
        let (revision, entered) = (view.head.revision, (view.head.state, view.head.status_revision));
        let task = view.into_task(history_length);
        Self {
            revision,
            response: StreamResponse { payload: Some(Payload::Task(task)) },
            entered: Some(entered),
        }
    }

    /// A change of it.
    #[must_use]
    pub fn change(revision: u64, response: StreamResponse) -> Self {
        let state = match &response.payload {
            Some(Payload::StatusUpdate(update)) => update.status.as_ref().map(|status| status.state),
            Some(Payload::Task(task)) => task.status.as_ref().map(|status| status.state),
            _ => None,
        };
        let entered = state.and_then(State::from_number).map(|state| (state, revision));
        Self { revision, response, entered }
    }

    /// The state entered after revision `after`, if any.
    #[must_use]
    pub fn entered_after(&self, after: u64) -> Option<State> {
        self.entered.filter(|(_, revision)| *revision > after).map(|(state, _)| state)
    }
}
