use std::fmt;

use super::retry_after::RetryAfter;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A status line arrived; what came after it does not matter.
    Answered { status: u16, retry_after: Option<RetryAfter> },
    /// The receiver's fault: counted.
    Failed(Failure),
    /// Our own fault (shutdown, Redis, saturation): not counted.
    Interrupted,
}

/// Why no status line arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    Dns,
    /// The egress policy refuses the url or every address that its host resolves to.
    Egress,
    Connect,
    Tls,
    Timeout,
    Reset,
    /// An answer arrived that is not HTTP.
    Protocol,
}

impl Failure {
    /// Stable: logs, metrics and storage hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Egress => "egress",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Reset => "reset",
            Self::Protocol => "protocol",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
