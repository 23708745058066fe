//! The store's views as messages.

use a2a_proto::push;
use a2a_store::delivery_admin::{DeadLetter, LaneView};
use prost_types::Timestamp;
use url::Url;

use crate::report::timestamp;
use crate::webhook::webhook_id;

pub(super) fn delivery(view: LaneView) -> push::Delivery {
    push::Delivery {
        task_id: view.lane.task,
        config_id: view.lane.config,
        origin: origin(&view.config.url),
        cursor: signed(view.cursor),
        attempts: counted(view.attempts),
        pending: signed(view.pending),
        next_attempt_at: view.due_at_ms.map(timestamp),
        last_success_at: view.last_success_at_ms.map(timestamp),
        last_failure: view.last_failure,
        last_status: i32::from(view.last_status),
        disabled_reason: view.disabled,
        oldest_pending_at: view.oldest_pending_at_ms.map(timestamp),
        consecutive_dead_letters: counted(view.dead_in_a_row),
        recent_attempts: view.recent,
    }
}

pub(super) fn dead_letter(letter: &DeadLetter) -> push::DeadLetter {
    let DeadLetter { id, lane, revision, reason, status, attempts, event_id } = letter;
    push::DeadLetter {
        id: id.to_string(),
        task_id: lane.task.clone(),
        config_id: lane.config.clone(),
        revision: signed(*revision),
        reason: reason.clone(),
        last_status: i32::from(*status),
        attempts: counted(*attempts),
        parked_at: Some(timestamp(signed(id.at_ms()))),
        webhook_id: webhook_id(&lane.task, &lane.config, event_id),
    }
}

/// Before the epoch there were no dead letters.
pub(super) fn ms(timestamp: &Timestamp) -> u64 {
    let ms = timestamp.seconds.saturating_mul(1_000).saturating_add(i64::from(timestamp.nanos / 1_000_000));
    u64::try_from(ms).unwrap_or(0)
}

/// Without path and query, which may be secrets.
fn origin(url: &str) -> String {
    Url::parse(url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn counted(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_no_secret() {
        assert_eq!(origin("https://hook.example/p/secret?k=secret"), "https://hook.example");
        assert_eq!(origin("https://hook.example:8443/p"), "https://hook.example:8443");
        assert_eq!(origin("nonsense"), "");
    }

    #[test]
    fn times_round_trip() {
        assert_eq!(ms(&timestamp(1_700_000_000_123)), 1_700_000_000_123);
        assert_eq!(ms(&Timestamp { seconds: -5, nanos: 0 }), 0);
    }
}
