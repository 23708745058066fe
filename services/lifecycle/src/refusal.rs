//! Why a command on a task is refused: the caller's doing, never a fault.

use crate::State;

/// A command that does not fit the task. Nothing changed, nothing was emitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A message to a task that has ended (task-terminal).
    #[error("the task has ended in {state} and takes no more messages")]
    TaskTerminal {
        /// Where it ended.
        state: State,
    },
    /// The message names another context than the task's (context-mismatch).
    #[error("the message's contextId is not that of the task")]
    ContextMismatch,
    /// The task's history is full (history-limit).
    #[error("the task's history already holds {limit} messages")]
    HistoryLimit {
        /// Most messages a history may hold.
        limit: usize,
    },
    /// The task has ended and cannot be canceled (not-cancelable).
    #[error("the task has ended in {state} and cannot be canceled")]
    NotCancelable {
        /// Where it ended.
        state: State,
    },
    /// The agent does not allow a cancel at this stage (not-cancelable-now).
    #[error("the agent cannot cancel the task at its current stage")]
    NotCancelableNow,
    /// The agent's command does not start from the task's state (wrong-state).
    #[error("the task is in {state}, from which this command does not start")]
    StateConflict {
        /// Where it stands.
        state: State,
    },
    /// A chunk for an artifact whose last chunk was already taken.
    #[error("the artifact's last chunk was already taken")]
    ArtifactClosed,
    /// The caller decided on another revision than the task's.
    #[error("the task is at revision {current}")]
    RevisionMismatch {
        /// Where it stands.
        current: u64,
    },
}
