use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// A url that the policy has let through.
///
/// `Debug` shows the origin alone: the path and the query may be credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Without user name, password and fragment; the host is lower-case ASCII without a trailing dot.
    pub url: Url,
    pub origin: Origin,
    /// The host, if it is an address: a resolver is never asked about it, so the dialler must check it.
    pub literal: Option<IpAddr>,
}

/// The part of a url that logs may show and that limits apply to. Displays as `https://host:port`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub scheme: Scheme,
    pub host: Host<String>,
    pub port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("origin", &format_args!("{}", self.origin))
            .field("literal", &self.literal)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
