use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use url::{Host, Url};

use super::host::{HostSuffix, dotless, is_loopback_name};
use super::ranges::{Endpoint, is_public};
use super::refusal::Refusal;
use super::target::{Origin, Scheme, Target};

pub const MAX_URL_BYTES: usize = 2048;

/// Which hosts, addresses and ports a webhook may point to. The default lets through https to public
/// addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EgressPolicy {
    /// Opens ranges that are closed by default. An address that carries an IPv4 address (mapped, NAT64, 6to4)
    /// is opened by the IPv4 range only, never by the IPv6 range that it is written in.
    pub allow: Vec<IpNet>,
    /// Closes ranges, whatever `allow` says: for instance the pods and services of a cluster with public
    /// addresses, or the prefix of a NAT64 gateway of its own.
    pub deny: Vec<IpNet>,
    /// If any are named, hosts must be one of them or below one of them; no literal address is.
    pub allow_hosts: Vec<HostSuffix>,
    /// Closes hosts, whatever `allow_hosts` says.
    pub deny_hosts: Vec<HostSuffix>,
    /// No port named means any port.
    pub ports: Vec<u16>,
    pub allow_http: bool,
}

impl EgressPolicy {
    pub fn check_url(&self, text: &str) -> Result<Target, Refusal> {
        check_text(text)?;
        let mut url = Url::parse(text).map_err(Refusal::Malformed)?;
        url.set_fragment(None);
        let scheme = self.check_scheme(&url)?;
        let literal = self.check_host(&mut url)?;
        let port = self.check_port(&url)?;
        // Percent-encoding makes a text longer, and the longer one is what gets stored and checked again.
        check_length(url.as_str())?;
        let host = url.host().ok_or(Refusal::NoHost)?.to_owned();
        Ok(Target { url, origin: Origin { scheme, host, port }, literal })
    }

    pub fn check_ip(&self, ip: IpAddr) -> Result<(), Refusal> {
        let endpoint = Endpoint::of(ip);
        let denied = listed(&self.deny, ip) || listed(&self.deny, endpoint.address);
        let public = !endpoint.relayed && is_public(endpoint.address);
        if !denied && (public || listed(&self.allow, endpoint.address)) {
            return Ok(());
        }
        Err(Refusal::Address { address: ip })
    }

    fn check_scheme(&self, url: &Url) -> Result<Scheme, Refusal> {
        match url.scheme() {
            "https" => Ok(Scheme::Https),
            "http" if self.allow_http => Ok(Scheme::Http),
            "http" => Err(Refusal::PlainHttp),
            _ => Err(Refusal::Scheme),
        }
    }

    fn check_host(&self, url: &mut Url) -> Result<Option<IpAddr>, Refusal> {
        let literal = match url.host().ok_or(Refusal::NoHost)? {
            Host::Ipv4(v4) => IpAddr::V4(v4),
            Host::Ipv6(v6) => IpAddr::V6(v6),
            Host::Domain(name) => {
                let name = dotless(name).ok_or(Refusal::EmptyLabel)?.to_owned();
                self.check_name(&name)?;
                // One origin must not be able to pass as two.
                url.set_host(Some(&name)).map_err(Refusal::Malformed)?;
                return Ok(None);
            }
        };
        self.check_literal(literal)?;
        Ok(Some(literal))
    }

    fn check_name(&self, name: &str) -> Result<(), Refusal> {
        if is_loopback_name(name) && !self.opens_loopback() {
            return Err(Refusal::InternalHost { host: name.to_owned() });
        }
        let matches = |hosts: &[HostSuffix]| hosts.iter().any(|suffix| suffix.matches(name));
        let allowed = self.allow_hosts.is_empty() || matches(&self.allow_hosts);
        if !allowed || matches(&self.deny_hosts) {
            return Err(Refusal::Host { host: name.to_owned() });
        }
        Ok(())
    }

    fn check_literal(&self, ip: IpAddr) -> Result<(), Refusal> {
        self.check_ip(ip)?;
        if self.allow_hosts.is_empty() { Ok(()) } else { Err(Refusal::Host { host: ip.to_string() }) }
    }

    fn check_port(&self, url: &Url) -> Result<u16, Refusal> {
        let port = url.port_or_known_default().unwrap_or(0);
        let allowed = port != 0 && (self.ports.is_empty() || self.ports.contains(&port));
        if allowed { Ok(port) } else { Err(Refusal::Port { port }) }
    }

    fn opens_loopback(&self) -> bool {
        let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        loopback.into_iter().any(|ip| self.check_ip(ip).is_ok())
    }
}

fn listed(ranges: &[IpNet], ip: IpAddr) -> bool {
    ranges.iter().any(|range| range.contains(&ip))
}

/// Refuses what a url parser would silently repair: two parsers may repair it into two hosts.
fn check_text(text: &str) -> Result<(), Refusal> {
    check_length(text)?;
    if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(Refusal::Character);
    }
    let authority = authority(text).ok_or(Refusal::Scheme)?;
    match authority {
        "" => Err(Refusal::NoHost),
        authority if authority.contains('@') => Err(Refusal::UserInfo),
        _ => Ok(()),
    }
}

fn check_length(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_URL_BYTES { Err(Refusal::TooLong) } else { Ok(()) }
}

fn authority(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let web = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    web.then(|| rest.split(['/', '?', '#']).next().unwrap_or(rest))
}
