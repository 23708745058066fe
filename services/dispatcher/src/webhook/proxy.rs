//! The forward proxy of the deployment.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

/// What requests go through. Its url may hold a password: shown is the host alone.
#[derive(Clone, PartialEq, Eq)]
pub struct EgressProxy {
    url: Url,
    /// Whether it decides alone which names lead where they may.
    pub(super) trusted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("write http://[user:password@]host:port, or https://")]
pub struct BadProxy;

impl EgressProxy {
    #[must_use]
    pub fn trusted(self, trusted: bool) -> Self {
        Self { trusted, ..self }
    }

    pub(super) fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }

    pub(super) fn as_reqwest(&self) -> reqwest::Result<reqwest::Proxy> {
        reqwest::Proxy::all(self.url.as_str()).map_err(reqwest::Error::without_url)
    }
}

impl FromStr for EgressProxy {
    type Err = BadProxy;

    fn from_str(text: &str) -> Result<Self, BadProxy> {
        let url = Url::parse(text).map_err(|_| BadProxy)?;
        let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
        if usable { Ok(Self { url, trusted: false }) } else { Err(BadProxy) }
    }
}

impl fmt::Debug for EgressProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressProxy")
            .field("host", &self.host())
            .field("trusted", &self.trusted)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let proxy: EgressProxy = "http://user:hunter2@proxy.example:3128".parse().unwrap();
        assert_eq!(format!("{proxy:?}"), r#"EgressProxy { host: "proxy.example", trusted: false, .. }"#);
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in ["", "proxy.example:3128", "socks5://proxy.example", "http://"] {
            assert_eq!(text.parse::<EgressProxy>(), Err(BadProxy), "{text}");
        }
    }
}
