use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Where packets to an address end up: several IPv6 ranges only carry an IPv4 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) address: IpAddr,
    /// Reached through a relay that we know nothing about (6to4).
    pub(super) relayed: bool,
}

impl Endpoint {
    pub(super) fn of(ip: IpAddr) -> Self {
        let IpAddr::V6(v6) = ip else {
            return Self { address: ip, relayed: false };
        };
        if SIX_TO_FOUR.contains(&v6) {
            return Self { address: IpAddr::V4(v4_at(v6, 2)), relayed: true };
        }
        let address = if carries_v4(v6) { IpAddr::V4(v4_at(v6, 12)) } else { ip };
        Self { address, relayed: false }
    }
}

/// Globally routable unicast, by the registries of special-purpose addresses.
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => !SPECIAL_V4.iter().any(|range| range.contains(&v4)),
        IpAddr::V6(v6) => GLOBAL_V6.contains(&v6) && !SPECIAL_V6.iter().any(|range| range.contains(&v6)),
    }
}

/// `::` and `::1` lie in the range of IPv4-compatible addresses but are addresses of their own.
fn carries_v4(v6: Ipv6Addr) -> bool {
    !v6.is_unspecified() && !v6.is_loopback() && V4_CARRIERS.iter().any(|range| range.contains(&v6))
}

fn v4_at(v6: Ipv6Addr, byte: u32) -> Ipv4Addr {
    let shifted = v6.to_bits() >> (8 * (12 - byte));
    Ipv4Addr::from_bits((shifted & u128::from(u32::MAX)) as u32)
}

const fn v4(a: u8, b: u8, c: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, 0), prefix)
}

const fn v6(head: [u16; 6], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f] = head;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, 0, 0), prefix)
}

const SPECIAL_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 8),       // this network
    v4(10, 0, 0, 8),      // private
    v4(100, 64, 0, 10),   // carrier-grade NAT
    v4(127, 0, 0, 8),     // loopback
    v4(169, 254, 0, 16),  // link-local, cloud metadata
    v4(172, 16, 0, 12),   // private
    v4(192, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 24),    // documentation
    v4(192, 88, 99, 24),  // 6to4 relays
    v4(192, 168, 0, 16),  // private
    v4(198, 18, 0, 15),   // benchmarking
    v4(198, 51, 100, 24), // documentation
    v4(203, 0, 113, 24),  // documentation
    v4(224, 0, 0, 4),     // multicast
    v4(240, 0, 0, 4),     // reserved, broadcast
];

/// The only part of IPv6 that is handed out for global unicast. Outside it lie loopback, unique local,
/// link-local, site-local, multicast, segment routing (5f00::/16) and the NAT64 range for local use
/// (64:ff9b:1::/48).
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0], 3);

const SPECIAL_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0, 0, 0, 0, 0], 23), // protocol assignments: Teredo, benchmarking, ORCHID
    v6([0x2001, 0xdb8, 0, 0, 0, 0], 32), // documentation
    v6([0x3fff, 0, 0, 0, 0, 0], 20), // documentation
    SIX_TO_FOUR,
];

const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0, 0, 0, 0], 16);

/// Ranges whose last 32 bits are the IPv4 address that is reached.
const V4_CARRIERS: [Ipv6Net; 3] = [
    v6([0, 0, 0, 0, 0, 0], 96),         // compatible
    v6([0, 0, 0, 0, 0, 0xffff], 96),    // mapped
    v6([0x64, 0xff9b, 0, 0, 0, 0], 96), // NAT64
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_the_address_that_is_reached() {
        for (written, reached, relayed) in [
            ("8.8.8.8", "8.8.8.8", false),
            ("::ffff:10.1.2.3", "10.1.2.3", false),
            ("::10.1.2.3", "10.1.2.3", false),
            ("64:ff9b::10.1.2.3", "10.1.2.3", false),
            ("2002:a01:203:ffff::1", "10.1.2.3", true),
            ("::", "::", false),
            ("::1", "::1", false),
            ("64:ff9b:1::10.1.2.3", "64:ff9b:1::10.1.2.3", false),
            ("2606:4700::1111", "2606:4700::1111", false),
        ] {
            let expected = Endpoint { address: reached.parse().unwrap(), relayed };
            assert_eq!(Endpoint::of(written.parse().unwrap()), expected, "{written}");
        }
    }
}
