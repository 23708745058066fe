//! What clients may ask, whatever the door: the commands of the A2A protocol.
//!
//! The order of refusals is the same everywhere: version, required extensions,
//! capability, shape of the input, existence, tenant, held state, limits. A
//! refused call changes nothing.

mod cancel;
mod events;
mod first;
mod identity;
mod making;
mod push;
mod read;
mod resume;
mod send;
mod stream;
mod streams;

pub(crate) use stream::{TaskStream, Until};
use streams::OpenStreams;

use std::{sync::Arc, time::Duration};

use a2a_lifecycle::{Rules, egress::EgressPolicy};
use a2a_proto::a2a::AgentCard;
use a2a_store::{Store, TaskHead};
use tokio_util::sync::CancellationToken;

use crate::{
    call::Call,
    card::{Card, Cards},
    error::Error,
    hub::Hub,
    parse::{Bounds, SendContext},
};

pub(crate) use events::{artifact_event, shorten_history, status_event, timestamp};

/// How often a decision is made anew after losing a race for the task.
pub(crate) const COMMIT_TRIES: usize = 32;

/// The service behind every client door. Cheap to clone.
#[derive(Clone)]
pub struct Tasks {
    pub(crate) store: Store,
    pub(crate) hub: Hub,
    pub(crate) cards: Cards,
    pub(crate) policy: Arc<Policy>,
    pub(crate) stopping: CancellationToken,
    streams: OpenStreams,
}

/// The choices of the deployment that clients meet.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Of the lifecycle.
    pub rules: Rules,
    /// Where webhooks may point.
    pub egress: EgressPolicy,
    /// How much a message or an artifact may hold.
    pub bounds: Bounds,
    /// Most webhooks of a task.
    pub max_push_configs: usize,
    /// Longest wait of a blocking send; without it as long as the caller waits.
    pub max_blocking_wait: Option<Duration>,
    /// How long an immediate send waits for a message in place of a task; unset
    /// where every message makes a task.
    pub direct_replies: Option<Duration>,
    /// Whether a message may name a context that has no task yet.
    pub accepts_unknown_contexts: bool,
    /// Most tasks of a tenant; 0 is no limit.
    pub max_tasks_per_tenant: u64,
    /// Most open streams of a caller; 0 is no limit.
    pub max_streams_per_caller: usize,
    /// How long idempotency keys, and replies in place of tasks, are kept, ms.
    pub idempotency_ms: u64,
    /// A message's id is its idempotency key where none is given.
    pub message_id_is_idempotency_key: bool,
}

impl Tasks {
    /// The service over a store and the live changes of this replica.
    #[must_use]
    pub fn new(store: Store, hub: Hub, cards: Cards, policy: Policy, stopping: CancellationToken) -> Self {
        let streams = OpenStreams::new(policy.max_streams_per_caller);
        Self { store, hub, cards, policy: Arc::new(policy), stopping, streams }
    }

    /// The cards, as they are shown.
    pub(crate) fn cards(&self) -> &Cards {
        &self.cards
    }

    /// The card by which a tenant's call is answered, once the call may be made.
    pub(crate) fn admit(&self, call: &Call, tenant: &str) -> Result<Card, Error> {
        let card = self.cards.of(tenant);
        call.admit(&card)?;
        Ok(card)
    }

    /// The card for authenticated callers.
    pub fn extended_card(&self, call: &Call, tenant: &str) -> Result<AgentCard, Error> {
        if !self.admit(call, tenant)?.is_extended() {
            return Err(Error::ExtendedCardNotSupported);
        }
        let card = self.cards.extended().ok_or(Error::ExtendedCardNotConfigured)?;
        Ok(card.as_proto().clone())
    }

    /// The task, if it exists and was made with the caller's tenant. Both
    /// refusals are the same: nobody learns of another's tasks.
    pub(crate) async fn visible(&self, tenant: &str, task: &str) -> Result<TaskHead, Error> {
        let head = self.store.head(task).await?.filter(|head| head.tenant == tenant && !head.provisional);
        head.ok_or(Error::NotFound)
    }

    pub(crate) fn send_context<'a>(&'a self, card: &'a Card) -> SendContext<'a> {
        SendContext { egress: &self.policy.egress, bounds: self.policy.bounds, modes: card.modes() }
    }
}
