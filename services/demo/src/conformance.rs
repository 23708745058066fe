//! What the A2A conformance suite expects of the agent behind the service that
//! it tests. The suite says what it wants in the id of its message: the longest
//! prefix that is known decides, for a new task and a further message alike.

mod artifacts;

use std::time::Duration;

use a2a_proto::a2a::TaskState;

use crate::agent::{Asked, Move, Script, Step};

/// How long a task that is to be subscribed to again stays at work.
const RESUBSCRIBE_PAUSE: Duration = Duration::from_secs(4);

/// By prefix of the message id.
const SCENARIOS: [(&str, Script); 17] = [
    ("tck-complete-task", |_| vec![Step::saying(Move::Complete, "Hello from TCK")]),
    ("tck-artifact-text", |_| with(artifacts::text("Generated text content"))),
    ("tck-artifact-file", |_| with(artifacts::raw())),
    ("tck-artifact-file-url", |_| with(artifacts::url())),
    ("tck-artifact-data", |_| with(artifacts::data())),
    ("tck-message-response", |_| vec![Step::Reply { text: "Direct message response".to_owned() }]),
    ("tck-input-required", input_required),
    ("tck-reject-task", |_| vec![Step::saying(Move::Reject, "rejected")]),
    ("tck-stream-001", |asked| at_work(asked, [artifacts::text("Stream hello from TCK")])),
    ("tck-stream-002", |_| vec![Step::silent(Move::Complete)]),
    ("tck-stream-003", |asked| at_work(asked, [artifacts::text("Stream task lifecycle")])),
    ("tck-stream-ordering-001", |asked| at_work(asked, [artifacts::text("Ordered output")])),
    ("tck-stream-artifact-text", |asked| at_work(asked, [artifacts::text("Streamed text content")])),
    ("tck-stream-artifact-file", |asked| at_work(asked, [artifacts::raw()])),
    ("tck-stream-artifact-chunked", |asked| {
        at_work(asked, [artifacts::chunk("chunk-1 ", false), artifacts::chunk("chunk-2", true)])
    }),
    ("test-resubscribe-message-id", |asked| at_work(asked, [Step::Pause { pause: RESUBSCRIBE_PAUSE }])),
    ("", unknown),
];

/// The steps that the suite expects.
#[must_use]
pub fn steps(asked: &Asked<'_>) -> Vec<Step> {
    let id = &asked.message.message_id;
    let known = SCENARIOS.iter().filter(|(prefix, _)| id.starts_with(prefix));
    let longest = known.max_by_key(|(prefix, _)| prefix.len());
    longest.map_or_else(|| unknown(asked), |(_, scenario)| scenario(asked))
}

fn with(artifact: Step) -> Vec<Step> {
    vec![artifact, Step::silent(Move::Complete)]
}

fn at_work<const N: usize>(asked: &Asked<'_>, steps: [Step; N]) -> Vec<Step> {
    started(asked).into_iter().chain(steps).chain([Step::silent(Move::Complete)]).collect()
}

/// A task that waits for input and gets some has to be at work before it can
/// wait again.
fn input_required(asked: &Asked<'_>) -> Vec<Step> {
    let begin = if asked.state == TaskState::InputRequired { started(asked) } else { None };
    begin.into_iter().chain([Step::silent(Move::AskFor)]).collect()
}

/// Work that an agent dropped is handed out again in the state that it reached.
fn started(asked: &Asked<'_>) -> Option<Step> {
    (asked.state != TaskState::Working).then(|| Step::silent(Move::Start))
}

fn unknown(asked: &Asked<'_>) -> Vec<Step> {
    let text = format!("Unhandled messageId prefix: {}", asked.message.message_id);
    vec![Step::saying(Move::Complete, text)]
}

#[cfg(test)]
mod tests {
    use a2a_proto::{a2a::Message, agent::WorkKind};

    use super::*;

    fn steps_for(id: &str, state: TaskState) -> Vec<Step> {
        let message = Message { message_id: id.to_owned(), ..Message::default() };
        steps(&Asked { kind: WorkKind::NewTask, state, message: &message })
    }

    #[test]
    fn the_longest_prefix_decides() {
        let url = steps_for("tck-artifact-file-url-01ab-grpc", TaskState::Submitted);
        assert_eq!(url, with(artifacts::url()));
        let raw = steps_for("tck-artifact-file-01ab", TaskState::Submitted);
        assert_eq!(raw, with(artifacts::raw()));
    }

    #[test]
    fn any_other_message_completes_its_task() {
        let said = Step::saying(Move::Complete, "Unhandled messageId prefix: x-1");
        assert_eq!(steps_for("x-1", TaskState::Submitted), [said]);
    }

    #[test]
    fn input_is_required_again_only_after_work() {
        let ask = Step::silent(Move::AskFor);
        assert_eq!(steps_for("tck-input-required-1", TaskState::Submitted), std::slice::from_ref(&ask));
        let again = steps_for("tck-input-required-1", TaskState::InputRequired);
        assert_eq!(again, [Step::silent(Move::Start), ask]);
    }
}
