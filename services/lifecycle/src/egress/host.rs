use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::Host;

/// A host name that stands for itself and for every name below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostSuffix(String);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadHostSuffix {
    #[error("`{0}` is not a host name: write a name such as example.com, without scheme, port or path")]
    NotAName(String),
    #[error("`{0}` is a pattern: write example.com, it stands for that name and every name below it")]
    Pattern(String),
    #[error("`{0}` is an address: write it as a range, such as 192.0.2.1/32, in the list of ranges")]
    Address(String),
}

impl HostSuffix {
    /// `host` is lower-case ASCII without a trailing dot, as a parsed [`super::Target`] has it.
    pub fn matches(&self, host: &str) -> bool {
        host.strip_suffix(self.0.as_str()).is_some_and(|above| above.is_empty() || above.ends_with('.'))
    }
}

impl FromStr for HostSuffix {
    type Err = BadHostSuffix;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with('.') || text.contains('*') {
            return Err(BadHostSuffix::Pattern(text.to_owned()));
        }
        match Host::parse(text) {
            Ok(Host::Domain(name)) => {
                dotless(&name).map(|name| Self(name.to_owned())).ok_or(BadHostSuffix::NotAName(name))
            }
            Ok(Host::Ipv4(_) | Host::Ipv6(_)) => Err(BadHostSuffix::Address(text.to_owned())),
            Err(_) if text.parse::<std::net::Ipv6Addr>().is_ok() => {
                Err(BadHostSuffix::Address(text.to_owned()))
            }
            Err(_) => Err(BadHostSuffix::NotAName(text.to_owned())),
        }
    }
}

impl fmt::Display for HostSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name without the dot of the root, or nothing if a label is empty.
///
/// Only one dot may go: `127.0.0.1..` is a name, and would become an address if both went.
pub(super) fn dotless(name: &str) -> Option<&str> {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.split('.').all(|label| !label.is_empty()).then_some(name)
}

/// Names that mean this machine whatever a resolver says (RFC 6761, section 6.3).
pub(super) fn is_loopback_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix(text: &str) -> HostSuffix {
        text.parse().unwrap()
    }

    #[test]
    fn a_suffix_matches_itself_and_names_below_it() {
        let suffix = suffix("Example.COM.");
        assert_eq!(suffix.to_string(), "example.com");
        assert!(suffix.matches("example.com"));
        assert!(suffix.matches("a.b.example.com"));
        assert!(!suffix.matches("badexample.com"));
        assert!(!suffix.matches("example.com.evil.net"));
        assert!(!suffix.matches("com"));
    }

    #[test]
    fn a_suffix_in_another_script_matches_its_ascii_form() {
        assert!(suffix("bücher.example").matches("shop.xn--bcher-kva.example"));
    }

    #[test]
    fn a_bad_suffix_says_what_to_write() {
        for (text, hint) in [
            ("*.example.com", "write example.com"),
            (".example.com", "write example.com"),
            ("https://example.com", "without scheme"),
            ("example.com:443", "without scheme"),
            ("example..com", "such as example.com"),
            ("", "such as example.com"),
            ("10.0.0.1", "write it as a range"),
            ("[::1]", "write it as a range"),
            ("::1", "write it as a range"),
        ] {
            let error = text.parse::<HostSuffix>().unwrap_err().to_string();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }
}
