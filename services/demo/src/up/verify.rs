//! Whether the webhook saw what the client's stream saw: pure.

use a2a_proto::a2a::{StreamResponse, stream_response::Payload};

use crate::{event::Line, receiver::Delivery};

/// Where they differ first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Both begin with a snapshot.
    #[error("the first event of the {0} is no task")]
    NoTask(&'static str),
    /// One got more than the other.
    #[error("the stream had {streamed} events and the webhook got {delivered}")]
    Count { streamed: usize, delivered: usize },
    /// Counted from 1.
    #[error("event {number} was {streamed} on the stream and {delivered} at the webhook")]
    Event { number: usize, streamed: String, delivered: String },
    /// Missing, or not what the config said.
    #[error("event {number} came with a wrong {header}")]
    Header { number: usize, header: &'static str },
}

/// The webhook got a task, then the same updates in the same order, each authenticated.
pub(super) fn same(streamed: &[StreamResponse], delivered: &[Delivery]) -> Result<(), Mismatch> {
    if streamed.len() != delivered.len() {
        return Err(Mismatch::Count { streamed: streamed.len(), delivered: delivered.len() });
    }
    if !streamed.first().is_some_and(is_task) {
        return Err(Mismatch::NoTask("stream"));
    }
    if !delivered.first().is_some_and(|delivery| is_task(&delivery.event)) {
        return Err(Mismatch::NoTask("webhook"));
    }
    delivered.iter().enumerate().try_for_each(|(at, delivery)| authenticated(at + 1, delivery))?;
    // What a snapshot holds depends on when each of them was taken.
    let mut updates = streamed.iter().zip(delivered).enumerate().skip(1);
    updates.try_for_each(|(at, (streamed, delivery))| same_event(at + 1, streamed, &delivery.event))
}

fn is_task(event: &StreamResponse) -> bool {
    matches!(event.payload, Some(Payload::Task(_)))
}

fn same_event(number: usize, streamed: &StreamResponse, delivered: &StreamResponse) -> Result<(), Mismatch> {
    if streamed == delivered {
        return Ok(());
    }
    let (streamed, delivered) = (Line(streamed).to_string(), Line(delivered).to_string());
    Err(Mismatch::Event { number, streamed, delivered })
}

fn authenticated(number: usize, delivery: &Delivery) -> Result<(), Mismatch> {
    let wrong = delivery.checks.wrong().next();
    wrong.map_or(Ok(()), |header| Err(Mismatch::Header { number, header }))
}

#[cfg(test)]
mod tests {
    use a2a_proto::json;

    use super::*;
    use crate::receiver::Checks;

    #[test]
    fn the_same_events_are_accepted() {
        assert_eq!(same(&streamed(), &delivered()), Ok(()));
    }

    #[test]
    fn each_difference_is_told() {
        let lost = same(&streamed(), &delivered()[..2]);
        assert_eq!(lost, Err(Mismatch::Count { streamed: 3, delivered: 2 }));

        let mut swapped = delivered();
        swapped.swap(1, 2);
        assert!(matches!(same(&streamed(), &swapped), Err(Mismatch::Event { number: 2, .. })));

        let mut late = delivered();
        late[0] = late[1].clone();
        assert_eq!(same(&streamed(), &late), Err(Mismatch::NoTask("webhook")));

        let mut forged = delivered();
        forged[2].checks.x_token = false;
        let header = "X-A2A-Notification-Token";
        assert_eq!(same(&streamed(), &forged), Err(Mismatch::Header { number: 3, header }));
        assert_eq!(same(&[], &[]), Err(Mismatch::NoTask("stream")));
    }

    fn streamed() -> Vec<StreamResponse> {
        [
            r#"{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}"#,
            r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}"#,
            r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}"#,
        ]
        .map(|event| json::from_slice(event.as_bytes()).unwrap())
        .into()
    }

    fn delivered() -> Vec<Delivery> {
        let checks = Checks { authorization: true, x_token: true, token: true };
        let delivery = |event| Delivery { webhook_id: String::new(), attempt: "1".to_owned(), checks, event };
        streamed().into_iter().map(delivery).collect()
    }
}
