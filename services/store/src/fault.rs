//! What goes wrong between us and Redis: never the caller's doing.

use std::{error::Error, fmt};

use crate::codec::CodecError;

/// An operation on the store that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Redis cannot be reached, or answers that it cannot serve now. Whether a
    /// change was applied is not known; to send the same change again is safe.
    #[error("the store is unavailable")]
    Unavailable(#[source] redis::RedisError),
    /// Redis refused the command, for good.
    #[error("the store refused a command")]
    Refused(#[source] redis::RedisError),
    /// What Redis holds is not what was written.
    #[error("the store holds what cannot be read")]
    Corrupt(#[from] CodecError),
}

impl Fault {
    pub(crate) fn from_redis(error: redis::RedisError) -> Self {
        if is_transient(&error) { Self::Unavailable(error) } else { Self::Refused(error) }
    }

    /// Another attempt may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// The consumer group, or its stream, does not exist (any more).
    #[must_use]
    pub fn is_missing_group(&self) -> bool {
        matches!(self, Self::Refused(error) if error.code() == Some("NOGROUP"))
    }
}

/// Errors that pass when Redis is back: lost connections, timeouts, a server
/// that loads its data, fails over, or has no memory to spare.
fn is_transient(error: &redis::RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || error.is_cluster_error()
    {
        return true;
    }
    match error.kind() {
        ErrorKind::Server(kind) => matches!(
            kind,
            ServerErrorKind::BusyLoading
                | ServerErrorKind::TryAgain
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly
                | ServerErrorKind::NoScript
        ),
        _ => matches!(error.code(), Some("OOM" | "NOREPLICAS" | "MISCONF" | "UNBLOCKED" | "BUSY")),
    }
}

impl Fault {
    /// The error with its sources, on one line, for logs. Not for callers: it
    /// names addresses.
    #[must_use]
    pub fn chain(&self) -> impl fmt::Display + '_ {
        Chain(self)
    }
}

struct Chain<'a>(&'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
