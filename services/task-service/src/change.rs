//! From a decision to what is written and sent.

use a2a_lifecycle::transition::NewStatus;
use a2a_proto::a2a::{Message, TaskStatus};
use a2a_runtime::random;
use a2a_store::{LeaseTerm, StatusChange, TaskHead};
use prost_types::Struct;

use crate::tasks::{status_event, timestamp};

/// The change that sets `decided` on `head`.
pub(crate) fn status_change<'a>(
    head: &'a TaskHead,
    decided: &NewStatus,
    message: Option<Message>,
    metadata: Option<Struct>,
    trace: String,
    lease: LeaseTerm<'a>,
) -> StatusChange<'a> {
    let status =
        TaskStatus { state: decided.state.number(), message, timestamp: Some(timestamp(decided.at_ms)) };
    StatusChange {
        change_id: random::uuid().to_string(),
        head,
        state: decided.state,
        at_ms: decided.at_ms,
        cancelable: decided.cancelable,
        response: status_event(head, status.clone(), metadata),
        status,
        trace,
        lease,
    }
}
