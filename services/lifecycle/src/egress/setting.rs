use std::net::IpAddr;

use ipnet::IpNet;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadRange {
    #[error("`{0}` is not a range: write an address or a range such as 10.0.0.0/8, 192.0.2.1 or fd00::/8")]
    NotARange(String),
    #[error(
        "`{written}` has bits beyond its prefix: write {network} for the range, or {address} for one address"
    )]
    HostBits { written: String, network: IpNet, address: IpAddr },
    #[error("`{0}` is an IPv4 range written as IPv6: write the IPv4 range, it covers every such spelling")]
    Mapped(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a port: write a number from 1 to 65535")]
pub struct BadPort(String);

/// A range of the allow or deny list. A bare address is a range of one.
///
/// A range inside `::ffff:0:0/96` is refused: addresses are compared as IPv4 there, so it would never match.
pub fn parse_range(text: &str) -> Result<IpNet, BadRange> {
    let range = text
        .parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| BadRange::NotARange(text.to_owned()))?;
    if range.addr() != range.network() {
        let (network, address) = (range.trunc(), range.addr());
        return Err(BadRange::HostBits { written: text.to_owned(), network, address });
    }
    match range {
        IpNet::V6(v6) if v6.prefix_len() >= 96 && v6.addr().to_ipv4_mapped().is_some() => {
            Err(BadRange::Mapped(text.to_owned()))
        }
        range => Ok(range),
    }
}

pub fn parse_port(text: &str) -> Result<u16, BadPort> {
    text.parse().ok().filter(|port| *port != 0).ok_or_else(|| BadPort(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_bare_addresses_are_read() {
        for (text, range) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("192.0.2.1", "192.0.2.1/32"),
            ("fd00::/8", "fd00::/8"),
            ("::1", "::1/128"),
            ("::/0", "::/0"),
        ] {
            assert_eq!(parse_range(text).unwrap().to_string(), range);
        }
    }

    #[test]
    fn a_bad_range_says_what_to_write() {
        for (text, hint) in [
            ("10.0.0.5/8", "write 10.0.0.0/8 for the range, or 10.0.0.5 for one address"),
            ("::ffff:10.0.0.0/104", "write the IPv4 range"),
            ("10.0.0.0/33", "such as 10.0.0.0/8"),
            ("example.com", "such as 10.0.0.0/8"),
            ("010.0.0.1", "such as 10.0.0.0/8"),
            ("", "such as 10.0.0.0/8"),
        ] {
            let error = parse_range(text).unwrap_err().to_string();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn ports_are_one_to_65535() {
        assert_eq!(parse_port("443"), Ok(443));
        assert_eq!(parse_port("65535"), Ok(65535));
        for text in ["0", "65536", "-1", "https", ""] {
            assert!(parse_port(text).unwrap_err().to_string().contains("from 1 to 65535"));
        }
    }
}
