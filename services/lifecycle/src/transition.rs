//! The one place where the lifecycle of a task is decided.

use crate::{Move, Refusal, State};

/// What a decision needs to know of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Where it stands.
    pub state: State,
    /// Raised by one with every accepted change.
    pub revision: u64,
    /// When the status last changed, in ms since the epoch.
    pub status_at_ms: i64,
    /// The context it belongs to.
    pub context: String,
    /// Messages in its history.
    pub history_len: usize,
    /// Whether the agent lets a client cancel it at this stage.
    pub cancelable: bool,
}

/// What somebody wants of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// An agent moves the task.
    Transition {
        /// The move.
        step: Move,
        /// Whether a client may cancel from now on; unset follows the move.
        cancelable: Option<bool>,
    },
    /// An agent reports progress.
    Progress {
        /// Whether a client may cancel from now on; unset leaves it as it is.
        cancelable: Option<bool>,
    },
    /// An agent sets an artifact or adds to one.
    Artifact {
        /// The parts are added to what is held.
        append: bool,
        /// No chunk follows.
        last_chunk: bool,
        /// The artifact of that id, if the task has one.
        held: Option<HeldArtifact>,
    },
    /// A client ends the task.
    Cancel,
    /// A client adds a message.
    Message {
        /// The context that the message names.
        context: Option<&'a str>,
    },
}

/// What a decision needs to know of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldArtifact {
    /// Its last chunk was taken.
    pub closed: bool,
}

/// Choices of the deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Most messages a history may hold.
    pub max_history_messages: usize,
    /// Take artifacts for a task that has ended.
    pub late_artifacts: bool,
}

/// An accepted command: exactly one event, with the revision as its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The revision after the change.
    pub revision: u64,
    /// What changes.
    pub change: Change,
}

/// What an accepted command changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The status; what the agent said before goes to the history.
    Status {
        /// The state before.
        from: State,
        /// The state after; the same for a report of progress.
        to: State,
        /// When, in ms since the epoch; never before the previous status.
        at_ms: i64,
        /// Whether a client may cancel from now on.
        cancelable: bool,
    },
    /// The history, by a client's message.
    Message,
    /// An artifact.
    Artifact {
        /// Added to what is held, or in its place.
        write: ArtifactWrite,
        /// No chunk may follow.
        closes: bool,
    },
}

/// How a chunk is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactWrite {
    /// In the place of what is held.
    Put,
    /// Behind what is held.
    Append,
}

/// Decides `command` on `task` at `now_ms`.
pub fn decide(task: &Task, command: &Command<'_>, rules: &Rules, now_ms: i64) -> Result<Decision, Refusal> {
    let change = match command {
        Command::Transition { step, cancelable } => transition(task, *step, *cancelable, now_ms)?,
        Command::Progress { cancelable } => progress(task, *cancelable, now_ms)?,
        Command::Artifact { append, last_chunk, held } => artifact(task, *append, *last_chunk, *held, rules)?,
        Command::Cancel => cancel(task, now_ms)?,
        Command::Message { context } => message(task, *context, rules)?,
    };
    Ok(Decision { revision: task.revision + 1, change })
}

/// Refuses a command that was decided on another revision than the task's.
pub fn expect_revision(task: &Task, expected: Option<u64>) -> Result<(), Refusal> {
    match expected {
        Some(revision) if revision != task.revision => {
            Err(Refusal::RevisionMismatch { current: task.revision })
        }
        _ => Ok(()),
    }
}

fn transition(task: &Task, step: Move, cancelable: Option<bool>, now_ms: i64) -> Result<Change, Refusal> {
    let to = step.target(task.state).ok_or(Refusal::StateConflict { state: task.state })?;
    let cancelable = to != State::Working || cancelable.unwrap_or(true);
    Ok(status(task, to, cancelable, now_ms))
}

fn progress(task: &Task, cancelable: Option<bool>, now_ms: i64) -> Result<Change, Refusal> {
    if task.state != State::Working {
        return Err(Refusal::StateConflict { state: task.state });
    }
    Ok(status(task, State::Working, cancelable.unwrap_or(task.cancelable), now_ms))
}

fn cancel(task: &Task, now_ms: i64) -> Result<Change, Refusal> {
    let to = Move::Cancel.target(task.state).ok_or(Refusal::NotCancelable { state: task.state })?;
    if !task.cancelable {
        return Err(Refusal::NotCancelableNow);
    }
    Ok(status(task, to, true, now_ms))
}

fn status(task: &Task, to: State, cancelable: bool, now_ms: i64) -> Change {
    // A replica whose clock is behind must not turn a task's time back.
    Change::Status { from: task.state, to, at_ms: now_ms.max(task.status_at_ms), cancelable }
}

fn artifact(
    task: &Task,
    append: bool,
    last_chunk: bool,
    held: Option<HeldArtifact>,
    rules: &Rules,
) -> Result<Change, Refusal> {
    if task.state.is_terminal() && !rules.late_artifacts {
        return Err(Refusal::StateConflict { state: task.state });
    }
    if append && held.is_some_and(|held| held.closed) {
        return Err(Refusal::ArtifactClosed);
    }
    let write = if append { ArtifactWrite::Append } else { ArtifactWrite::Put };
    Ok(Change::Artifact { write, closes: last_chunk })
}

fn message(task: &Task, context: Option<&str>, rules: &Rules) -> Result<Change, Refusal> {
    if task.state.is_terminal() {
        return Err(Refusal::TaskTerminal { state: task.state });
    }
    if context.is_some_and(|context| context != task.context) {
        return Err(Refusal::ContextMismatch);
    }
    if task.history_len >= rules.max_history_messages {
        return Err(Refusal::HistoryLimit { limit: rules.max_history_messages });
    }
    Ok(Change::Message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::MOVES;

    const RULES: Rules = Rules { max_history_messages: 3, late_artifacts: false };

    fn task(state: State) -> Task {
        Task {
            state,
            revision: 7,
            status_at_ms: 1_000,
            context: "c".into(),
            history_len: 1,
            cancelable: true,
        }
    }

    fn step(step: Move) -> Command<'static> {
        Command::Transition { step, cancelable: None }
    }

    fn chunk(append: bool, held: Option<bool>) -> Command<'static> {
        Command::Artifact { append, last_chunk: false, held: held.map(|closed| HeldArtifact { closed }) }
    }

    #[test]
    fn every_agent_move_from_every_state() {
        for (kind, sources, to) in MOVES.into_iter().filter(|(kind, _, _)| *kind != Move::Cancel) {
            for from in State::ALL {
                let decided = decide(&task(from), &step(kind), &RULES, 2_000);
                if sources.contains(&from) {
                    let change = Change::Status { from, to, at_ms: 2_000, cancelable: true };
                    assert_eq!(decided, Ok(Decision { revision: 8, change }), "{kind:?} from {from}");
                } else {
                    assert_eq!(decided, Err(Refusal::StateConflict { state: from }), "{kind:?} from {from}");
                }
            }
        }
    }

    #[test]
    fn cancel_from_every_state() {
        for from in State::ALL {
            let decided = decide(&task(from), &Command::Cancel, &RULES, 2_000);
            if from.is_terminal() {
                assert_eq!(decided, Err(Refusal::NotCancelable { state: from }));
            } else {
                assert_eq!(decided.map(|decision| decision.revision), Ok(8));
            }
        }
    }

    #[test]
    fn a_stage_may_be_closed_to_cancels_and_opens_again() {
        let closed = Command::Transition { step: Move::StartWorking, cancelable: Some(false) };
        let Change::Status { cancelable, .. } =
            decide(&task(State::Submitted), &closed, &RULES, 0).unwrap().change
        else {
            panic!("a status change")
        };
        let working = Task { cancelable, ..task(State::Working) };
        assert_eq!(decide(&working, &Command::Cancel, &RULES, 0), Err(Refusal::NotCancelableNow));
        let asked = decide(&working, &step(Move::RequireInput), &RULES, 0).unwrap();
        assert!(matches!(asked.change, Change::Status { cancelable: true, .. }));
    }

    #[test]
    fn progress_needs_a_working_task() {
        for from in State::ALL {
            let decided = decide(&task(from), &Command::Progress { cancelable: None }, &RULES, 0);
            assert_eq!(decided.is_ok(), from == State::Working, "{from}");
        }
    }

    #[test]
    fn artifacts_follow_the_state_and_the_last_chunk() {
        for from in State::ALL {
            let decided = decide(&task(from), &chunk(false, None), &RULES, 0);
            assert_eq!(decided.is_ok(), !from.is_terminal(), "{from}");
            let late = Rules { late_artifacts: true, ..RULES };
            assert!(decide(&task(from), &chunk(false, None), &late, 0).is_ok());
        }
        let working = task(State::Working);
        assert_eq!(decide(&working, &chunk(true, Some(true)), &RULES, 0), Err(Refusal::ArtifactClosed));
        assert!(decide(&working, &chunk(true, Some(false)), &RULES, 0).is_ok());
        assert!(decide(&working, &chunk(true, None), &RULES, 0).is_ok());
        assert!(
            decide(&working, &chunk(false, Some(true)), &RULES, 0).is_ok(),
            "a replacement opens it again"
        );
    }

    #[test]
    fn messages_are_refused_for_state_then_context_then_limit() {
        let other = Command::Message { context: Some("other") };
        let plain = Command::Message { context: None };
        let full = Task { history_len: 3, ..task(State::Working) };
        let ended = Task { history_len: 3, ..task(State::Completed) };
        assert_eq!(decide(&ended, &other, &RULES, 0), Err(Refusal::TaskTerminal { state: State::Completed }));
        assert_eq!(decide(&full, &other, &RULES, 0), Err(Refusal::ContextMismatch));
        assert_eq!(decide(&full, &plain, &RULES, 0), Err(Refusal::HistoryLimit { limit: 3 }));
        let same = Command::Message { context: Some("c") };
        assert!(decide(&task(State::InputRequired), &same, &RULES, 0).is_ok());
    }

    #[test]
    fn a_mismatched_revision_names_the_current_one() {
        assert_eq!(
            expect_revision(&task(State::Working), Some(6)),
            Err(Refusal::RevisionMismatch { current: 7 })
        );
        assert_eq!(expect_revision(&task(State::Working), Some(7)), Ok(()));
        assert_eq!(expect_revision(&task(State::Working), None), Ok(()));
    }

    fn any_command() -> impl Strategy<Value = Command<'static>> {
        prop_oneof![
            (0..MOVES.len() - 1, any::<Option<bool>>())
                .prop_map(|(n, cancelable)| Command::Transition { step: MOVES[n].0, cancelable }),
            any::<Option<bool>>().prop_map(|cancelable| Command::Progress { cancelable }),
            (any::<bool>(), any::<bool>(), any::<Option<bool>>()).prop_map(|(append, last_chunk, closed)| {
                Command::Artifact { append, last_chunk, held: closed.map(|closed| HeldArtifact { closed }) }
            }),
            Just(Command::Cancel),
            Just(Command::Message { context: None }),
        ]
    }

    /// The task after `decision`, as the store would hold it.
    fn apply(task: &Task, decision: &Decision) -> Task {
        let mut next = Task { revision: decision.revision, ..task.clone() };
        match decision.change {
            Change::Status { to, at_ms, cancelable, .. } => {
                (next.state, next.status_at_ms, next.cancelable) = (to, at_ms, cancelable);
            }
            Change::Message => next.history_len += 1,
            Change::Artifact { .. } => {}
        }
        next
    }

    proptest! {
        #[test]
        fn a_terminal_task_never_changes(commands in prop::collection::vec((any_command(), any::<u16>()), 1..60)) {
            let mut current = task(State::Submitted);
            for (command, now) in commands {
                let decided = decide(&current, &command, &RULES, i64::from(now));
                if current.state.is_terminal() {
                    prop_assert!(decided.is_err());
                } else if let Ok(decision) = decided {
                    current = apply(&current, &decision);
                }
            }
        }

        #[test]
        fn the_revision_rises_by_one_and_time_never_turns_back(
            commands in prop::collection::vec((any_command(), any::<u16>()), 1..60),
        ) {
            let mut current = task(State::Submitted);
            for (command, now) in commands {
                let Ok(decision) = decide(&current, &command, &RULES, i64::from(now)) else { continue };
                let next = apply(&current, &decision);
                prop_assert_eq!(next.revision, current.revision + 1);
                prop_assert!(next.status_at_ms >= current.status_at_ms);
                current = next;
            }
        }
    }
}
