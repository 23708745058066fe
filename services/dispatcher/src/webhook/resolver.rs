//! Names to addresses, of which only those that the policy opens are dialled.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use a2a_lifecycle::delivery::Failure;
use a2a_lifecycle::egress::EgressPolicy;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// How names are looked up; an argument, so that tests can answer for the network.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The connector dials exactly what this returns: a name that starts to point somewhere else is caught here.
#[derive(Clone)]
pub(super) struct Resolver {
    pub(super) policy: Arc<EgressPolicy>,
    pub(super) lookup: Lookup,
    /// The host of the proxy, which the operator named and the policy says nothing of.
    pub(super) proxy: Option<String>,
}

#[derive(Debug, Error)]
pub(super) enum ResolveError {
    #[error("the name does not resolve")]
    Lookup(#[source] io::Error),
    #[error("the name has no address")]
    NoAddress,
    #[error("the name has only addresses that are not allowed by this deployment")]
    Egress,
}

/// The system's resolver.
pub fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Resolver {
    /// Whether a name leads only where the policy lets it: a proxy picks any of its addresses.
    pub(super) async fn check(&self, name: &str) -> Result<(), ResolveError> {
        let found = (self.lookup)(name.to_owned()).await.map_err(ResolveError::Lookup)?;
        if found.is_empty() {
            return Err(ResolveError::NoAddress);
        }
        let closed = found.iter().any(|ip| self.policy.check_ip(*ip).is_err());
        if closed { Err(ResolveError::Egress) } else { Ok(()) }
    }
}

impl ResolveError {
    pub(super) fn failure(&self) -> Failure {
        match self {
            Self::Egress => Failure::Egress,
            Self::Lookup(_) | Self::NoAddress => Failure::Dns,
        }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_proxy = self.proxy.as_deref() == Some(name.as_str());
        let (policy, lookup) = (self.policy.clone(), (self.lookup)(name.as_str().to_owned()));
        Box::pin(async move {
            let found = lookup.await.map_err(ResolveError::Lookup)?;
            let dialled = if is_proxy { found } else { allowed(&policy, found)? };
            // Port 0 stands for the url's.
            let allowed = dialled.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(allowed) as Addrs)
        })
    }
}

fn allowed(policy: &EgressPolicy, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, ResolveError> {
    if found.is_empty() {
        return Err(ResolveError::NoAddress);
    }
    let allowed: Vec<_> = found.into_iter().filter(|ip| policy.check_ip(*ip).is_ok()).collect();
    if allowed.is_empty() { Err(ResolveError::Egress) } else { Ok(allowed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ips(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn only_open_addresses_are_left() {
        let found = ips(&["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111", "169.254.169.254"]);
        let allowed = allowed(&EgressPolicy::default(), found).unwrap();
        assert_eq!(allowed, ips(&["8.8.8.8", "2606:4700::1111"]));
    }

    #[test]
    fn none_left_is_the_policys_doing_and_none_found_is_not() {
        let policy = EgressPolicy::default();
        assert!(matches!(allowed(&policy, ips(&["127.0.0.1", "::1"])), Err(ResolveError::Egress)));
        assert!(matches!(allowed(&policy, vec![]), Err(ResolveError::NoAddress)));
    }
}
