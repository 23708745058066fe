//! Why an event, or a whole webhook, is given up.

use std::fmt;

use a2a_lifecycle::delivery::ParkReason;

/// Why an event becomes a dead letter: the policy's reasons, and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    Policy(ParkReason),
    /// What is stored cannot be read as an event.
    Undecodable,
    /// Its attempts began and never ended: it seems to kill the process that makes them.
    Poison,
    /// Its webhook has a token or credentials that a header cannot carry.
    RejectedConfig,
}

/// Why a webhook is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// The receiver says that it is gone for good.
    Gone,
    /// The stored config cannot be read.
    Undecodable,
}

impl Reason {
    /// Stable: logs, metrics and storage hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy(reason) => reason.as_str(),
            Self::Undecodable => "undecodable",
            Self::Poison => "poison",
            Self::RejectedConfig => "rejected_config",
        }
    }
}

impl Hold {
    /// Stable: logs, metrics and storage hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Undecodable => "undecodable",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
