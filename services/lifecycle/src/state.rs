//! The states of a task and the moves between them (A2A section 4.1.3).

use std::fmt;

/// Where a task stands. The numbers are those of `lf.a2a.v1.TaskState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Accepted, no agent has started.
    Submitted = 1,
    /// An agent is at it.
    Working = 2,
    /// Terminal: done.
    Completed = 3,
    /// Terminal: ended by an error.
    Failed = 4,
    /// Terminal: ended by the client.
    Canceled = 5,
    /// Interrupted: the agent waits for a message.
    InputRequired = 6,
    /// Terminal: the agent declined.
    Rejected = 7,
    /// Interrupted: the agent waits for an authorisation made elsewhere.
    AuthRequired = 8,
}

/// A step from one state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// An agent starts or resumes.
    StartWorking,
    /// An agent asks the client for a message.
    RequireInput,
    /// An agent asks for an authorisation.
    RequireAuth,
    /// An agent is done.
    Complete,
    /// An agent gives up.
    Fail,
    /// An agent declines.
    Reject,
    /// A client ends the task.
    Cancel,
}

const LIVE: &[State] = &[State::Submitted, State::Working, State::InputRequired, State::AuthRequired];

/// The whole lifecycle: a move that is not here does not exist.
pub const MOVES: [(Move, &[State], State); 7] = [
    (Move::StartWorking, &[State::Submitted, State::InputRequired, State::AuthRequired], State::Working),
    (Move::RequireInput, &[State::Submitted, State::Working, State::AuthRequired], State::InputRequired),
    (Move::RequireAuth, &[State::Submitted, State::Working, State::InputRequired], State::AuthRequired),
    (Move::Complete, LIVE, State::Completed),
    (Move::Fail, LIVE, State::Failed),
    (Move::Reject, LIVE, State::Rejected),
    (Move::Cancel, LIVE, State::Canceled),
];

impl State {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    /// The state with this number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }

    /// The number on the wire and in Redis.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// No move leads out of it.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// The task waits for somebody other than the agent.
    #[must_use]
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Reaching it ends the turn: a blocking send is answered.
    #[must_use]
    pub const fn ends_turn(self) -> bool {
        self.is_terminal() || self.is_interrupted()
    }

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Rejected => "TASK_STATE_REJECTED",
            Self::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Move {
    /// Where the move leads from `from`, if it exists.
    #[must_use]
    pub fn target(self, from: State) -> Option<State> {
        MOVES.iter().find(|(step, sources, _)| *step == self && sources.contains(&from)).map(|(_, _, to)| *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs that the domain document lists as forbidden, by name.
    const FORBIDDEN: [(State, &[State]); 7] = {
        use State::{AuthRequired, Canceled, Completed, Failed, InputRequired, Rejected, Submitted, Working};
        [
            (AuthRequired, &[Submitted]),
            (Canceled, &[AuthRequired, Completed, Failed, InputRequired, Rejected, Submitted, Working]),
            (Completed, &[AuthRequired, Canceled, Failed, InputRequired, Rejected, Submitted, Working]),
            (Failed, &[AuthRequired, Canceled, Completed, InputRequired, Rejected, Submitted, Working]),
            (InputRequired, &[Submitted]),
            (Rejected, &[AuthRequired, Canceled, Completed, Failed, InputRequired, Submitted, Working]),
            (Working, &[Submitted]),
        ]
    };

    fn reachable(from: State, to: State) -> bool {
        MOVES.iter().any(|(step, _, _)| step.target(from) == Some(to))
    }

    #[test]
    fn every_pair_of_states_is_allowed_or_forbidden_as_documented() {
        for from in State::ALL {
            for to in State::ALL.into_iter().filter(|to| *to != from) {
                let forbidden =
                    FORBIDDEN.iter().any(|(state, targets)| *state == from && targets.contains(&to));
                assert_eq!(reachable(from, to), !forbidden, "{from} -> {to}");
            }
        }
    }

    #[test]
    fn no_state_moves_to_itself() {
        assert!(State::ALL.into_iter().all(|state| !reachable(state, state)));
    }

    #[test]
    fn terminal_states_have_no_way_out() {
        for state in State::ALL.into_iter().filter(|state| state.is_terminal()) {
            assert!(MOVES.iter().all(|(step, _, _)| step.target(state).is_none()), "{state}");
        }
    }

    #[test]
    fn numbers_round_trip() {
        for state in State::ALL {
            assert_eq!(State::from_number(state.number()), Some(state));
        }
        assert_eq!(State::from_number(0), None);
        assert_eq!(State::from_number(9), None);
    }
}
