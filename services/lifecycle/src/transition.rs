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

/// A command that sets the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusCommand {
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
    /// A client ends the task.
    Cancel,
}

/// An agent's command to set an artifact or to add to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactCommand {
    /// The parts are added to what is held.
    pub append: bool,
    /// No chunk follows.
    pub last_chunk: bool,
    /// The artifact of that id, if the task has one.
    pub held: Option<HeldArtifact>,
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

/// An accepted status; what the agent said before goes to the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewStatus {
    /// The revision after the change, and the id of its event.
    pub revision: u64,
    /// The state after; the same as before for a report of progress.
    pub state: State,
    /// When, in ms since the epoch; never before the previous status.
    pub at_ms: i64,
    /// Whether a client may cancel from now on.
    pub cancelable: bool,
}

/// An accepted artifact or chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewChunk {
    /// The revision after the change, and the id of its event.
    pub revision: u64,
    /// Added to what is held, or in its place.
    pub write: ArtifactWrite,
    /// No chunk may follow.
    pub closes: bool,
}

/// How a chunk is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactWrite {
    /// In the place of what is held.
    Put,
    /// Behind what is held.
    Append,
}

/// Decides a command that sets the status, at `now_ms`.
pub fn set_status(task: &Task, command: StatusCommand, now_ms: i64) -> Result<NewStatus, Refusal> {
    let (state, cancelable) = match command {
        StatusCommand::Transition { step, cancelable } => transition(task, step, cancelable)?,
        StatusCommand::Progress { cancelable } => progress(task, cancelable)?,
        StatusCommand::Cancel => cancel(task)?,
    };
    // A replica whose clock is behind must not turn a task's time back.
    let at_ms = now_ms.max(task.status_at_ms);
    Ok(NewStatus { revision: task.revision + 1, state, at_ms, cancelable })
}

/// Decides an artifact or a chunk of one.
pub fn update_artifact(task: &Task, command: ArtifactCommand, rules: &Rules) -> Result<NewChunk, Refusal> {
    let ArtifactCommand { append, last_chunk, held } = command;
    if task.state.is_terminal() && !rules.late_artifacts {
        return Err(Refusal::StateConflict { state: task.state });
    }
    if append && held.is_some_and(|held| held.closed) {
        return Err(Refusal::ArtifactClosed);
    }
    let write = if append { ArtifactWrite::Append } else { ArtifactWrite::Put };
    Ok(NewChunk { revision: task.revision + 1, write, closes: last_chunk })
}

/// Decides a client's message that names `context`, if any; answers the
/// revision after it.
pub fn take_message(task: &Task, context: Option<&str>, rules: &Rules) -> Result<u64, Refusal> {
    if task.state.is_terminal() {
        return Err(Refusal::TaskTerminal { state: task.state });
    }
    if context.is_some_and(|context| context != task.context) {
        return Err(Refusal::ContextMismatch);
    }
    if task.history_len >= rules.max_history_messages {
        return Err(Refusal::HistoryLimit { limit: rules.max_history_messages });
    }
    Ok(task.revision + 1)
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

fn transition(task: &Task, step: Move, cancelable: Option<bool>) -> Result<(State, bool), Refusal> {
    let to = step.target(task.state).ok_or(Refusal::StateConflict { state: task.state })?;
    Ok((to, to != State::Working || cancelable.unwrap_or(true)))
}

fn progress(task: &Task, cancelable: Option<bool>) -> Result<(State, bool), Refusal> {
    if task.state != State::Working {
        return Err(Refusal::StateConflict { state: task.state });
    }
    Ok((State::Working, cancelable.unwrap_or(task.cancelable)))
}

fn cancel(task: &Task) -> Result<(State, bool), Refusal> {
    let to = Move::Cancel.target(task.state).ok_or(Refusal::NotCancelable { state: task.state })?;
    if task.cancelable { Ok((to, true)) } else { Err(Refusal::NotCancelableNow) }
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

    fn step(step: Move) -> StatusCommand {
        StatusCommand::Transition { step, cancelable: None }
    }

    fn chunk(append: bool, closed: Option<bool>) -> ArtifactCommand {
        ArtifactCommand { append, last_chunk: false, held: closed.map(|closed| HeldArtifact { closed }) }
    }

    #[test]
    fn every_agent_move_from_every_state() {
        for (kind, sources, to) in MOVES.into_iter().filter(|(kind, _, _)| *kind != Move::Cancel) {
            for from in State::ALL {
                let decided = set_status(&task(from), step(kind), 2_000);
                if sources.contains(&from) {
                    let accepted = NewStatus { revision: 8, state: to, at_ms: 2_000, cancelable: true };
                    assert_eq!(decided, Ok(accepted), "{kind:?} from {from}");
                } else {
                    assert_eq!(decided, Err(Refusal::StateConflict { state: from }), "{kind:?} from {from}");
                }
            }
        }
    }

    #[test]
    fn cancel_from_every_state() {
        for from in State::ALL {
            let decided = set_status(&task(from), StatusCommand::Cancel, 2_000);
            if from.is_terminal() {
                assert_eq!(decided, Err(Refusal::NotCancelable { state: from }));
            } else {
                assert_eq!(decided.map(|status| status.state), Ok(State::Canceled));
            }
        }
    }

    #[test]
    fn a_stage_may_be_closed_to_cancels_and_opens_again() {
        let closed = StatusCommand::Transition { step: Move::StartWorking, cancelable: Some(false) };
        let cancelable = set_status(&task(State::Submitted), closed, 0).unwrap().cancelable;
        let working = Task { cancelable, ..task(State::Working) };
        assert_eq!(set_status(&working, StatusCommand::Cancel, 0), Err(Refusal::NotCancelableNow));
        assert!(set_status(&working, step(Move::RequireInput), 0).unwrap().cancelable);
        let open = StatusCommand::Progress { cancelable: Some(true) };
        assert!(set_status(&working, open, 0).unwrap().cancelable);
    }

    #[test]
    fn progress_needs_a_working_task() {
        for from in State::ALL {
            let decided = set_status(&task(from), StatusCommand::Progress { cancelable: None }, 0);
            assert_eq!(decided.is_ok(), from == State::Working, "{from}");
        }
    }

    #[test]
    fn artifacts_follow_the_state_and_the_last_chunk() {
        for from in State::ALL {
            let decided = update_artifact(&task(from), chunk(false, None), &RULES);
            assert_eq!(decided.is_ok(), !from.is_terminal(), "{from}");
            let late = Rules { late_artifacts: true, ..RULES };
            assert!(update_artifact(&task(from), chunk(false, None), &late).is_ok());
        }
        let working = task(State::Working);
        assert_eq!(update_artifact(&working, chunk(true, Some(true)), &RULES), Err(Refusal::ArtifactClosed));
        assert!(update_artifact(&working, chunk(true, Some(false)), &RULES).is_ok());
        assert!(update_artifact(&working, chunk(true, None), &RULES).is_ok());
        assert!(
            update_artifact(&working, chunk(false, Some(true)), &RULES).is_ok(),
            "a new one takes its place"
        );
    }

    #[test]
    fn messages_are_refused_for_state_then_context_then_limit() {
        let full = Task { history_len: 3, ..task(State::Working) };
        let ended = Task { history_len: 3, ..task(State::Completed) };
        let terminal = Refusal::TaskTerminal { state: State::Completed };
        assert_eq!(take_message(&ended, Some("other"), &RULES), Err(terminal));
        assert_eq!(take_message(&full, Some("other"), &RULES), Err(Refusal::ContextMismatch));
        assert_eq!(take_message(&full, None, &RULES), Err(Refusal::HistoryLimit { limit: 3 }));
        assert_eq!(take_message(&task(State::InputRequired), Some("c"), &RULES), Ok(8));
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

    #[derive(Clone, Copy, Debug)]
    enum Any {
        Status(StatusCommand),
        Artifact(ArtifactCommand),
        Message,
    }

    fn any_command() -> impl Strategy<Value = Any> {
        prop_oneof![
            (0..MOVES.len() - 1, any::<Option<bool>>())
                .prop_map(|(n, cancelable)| StatusCommand::Transition { step: MOVES[n].0, cancelable })
                .prop_map(Any::Status),
            any::<Option<bool>>().prop_map(|cancelable| Any::Status(StatusCommand::Progress { cancelable })),
            (any::<bool>(), any::<Option<bool>>())
                .prop_map(|(append, closed)| Any::Artifact(chunk(append, closed))),
            Just(Any::Status(StatusCommand::Cancel)),
            Just(Any::Message),
        ]
    }

    /// The task after a command, as the store would hold it.
    fn apply(task: &Task, command: Any, now_ms: i64) -> Result<Task, Refusal> {
        let mut next = task.clone();
        match command {
            Any::Status(command) => {
                let status = set_status(task, command, now_ms)?;
                (next.revision, next.state) = (status.revision, status.state);
                (next.status_at_ms, next.cancelable) = (status.at_ms, status.cancelable);
            }
            Any::Artifact(command) => next.revision = update_artifact(task, command, &RULES)?.revision,
            Any::Message => {
                next.revision = take_message(task, None, &RULES)?;
                next.history_len += 1;
            }
        }
        Ok(next)
    }

    proptest! {
        #[test]
        fn a_terminal_task_never_changes(commands in prop::collection::vec((any_command(), any::<u16>()), 1..60)) {
            let mut current = task(State::Submitted);
            for (command, now) in commands {
                let next = apply(&current, command, i64::from(now));
                prop_assert!(!current.state.is_terminal() || next.is_err());
                current = next.unwrap_or(current);
            }
        }

        #[test]
        fn the_revision_rises_by_one_and_time_never_turns_back(
            commands in prop::collection::vec((any_command(), any::<u16>()), 1..60),
        ) {
            let mut current = task(State::Submitted);
            for (command, now) in commands {
                let Ok(next) = apply(&current, command, i64::from(now)) else { continue };
                prop_assert_eq!(next.revision, current.revision + 1);
                prop_assert!(next.status_at_ms >= current.status_at_ms);
                current = next;
            }
        }
    }
}
