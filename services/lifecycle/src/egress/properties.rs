//! What holds for every address, however it is written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net};
use proptest::prelude::*;

use super::EgressPolicy;
use super::spellings::{open_to, verdict};

fn spellings_in_v6(v4: Ipv4Addr) -> Vec<Ipv6Addr> {
    let bits = u128::from(v4.to_bits());
    let at = |prefix: &str| Ipv6Addr::from_bits(prefix.parse::<Ipv6Addr>().unwrap().to_bits() | bits);
    let six_to_four = Ipv6Addr::from_bits((0x2002 << 112) | (bits << 80) | 1);
    vec![at("::ffff:0:0"), at("64:ff9b::"), at("::"), six_to_four]
}

fn inside(range: Ipv4Net) -> impl Strategy<Value = Ipv4Addr> {
    (range.network().to_bits()..=range.broadcast().to_bits()).prop_map(Ipv4Addr::from_bits)
}

fn special_v4() -> impl Strategy<Value = Ipv4Addr> {
    let ranges = [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "255.255.255.255/32",
    ];
    prop::sample::select(ranges.to_vec()).prop_flat_map(|range| inside(range.parse().unwrap()))
}

fn url_spellings(v4: Ipv4Addr) -> Vec<String> {
    let ([a, b, c, d], bits) = (v4.octets(), v4.to_bits());
    let low = bits & 0x00ff_ffff;
    let mut hosts = vec![v4.to_string(), bits.to_string(), format!("{bits:#x}"), format!("0{bits:o}")];
    hosts.push(format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"));
    hosts.push(format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"));
    hosts.push(format!("{a}.{low}"));
    hosts.push(format!("{a}.{b}.{}", low & 0xffff));
    hosts.push(format!("{v4}."));
    hosts.extend(spellings_in_v6(v4).iter().map(|v6| format!("[{v6}]")));
    hosts.iter().map(|host| format!("https://{host}/")).collect()
}

proptest! {
    #[test]
    fn a_special_address_is_refused_in_every_spelling(v4 in special_v4()) {
        let policy = EgressPolicy::default();
        prop_assert!(policy.check_ip(IpAddr::V4(v4)).is_err());
        for v6 in spellings_in_v6(v4) {
            prop_assert!(policy.check_ip(IpAddr::V6(v6)).is_err(), "{v6}");
        }
        for url in url_spellings(v4) {
            prop_assert_eq!(verdict(&policy, &url), "address", "{}", url);
        }
    }

    #[test]
    fn a_denied_range_holds_in_every_spelling(bits: u32, prefix in 0..=32_u8, pick: u32) {
        let range = Ipv4Net::new(Ipv4Addr::from_bits(bits), prefix).unwrap().trunc();
        let v4 = Ipv4Addr::from_bits(range.network().to_bits() | (pick & range.hostmask().to_bits()));
        let policy = EgressPolicy { deny: vec![IpNet::V4(range)], ..open_to(&["0.0.0.0/0", "::/0"]) };
        prop_assert!(policy.check_ip(IpAddr::V4(v4)).is_err());
        for v6 in spellings_in_v6(v4).into_iter().filter(|v6| !v6.is_loopback() && !v6.is_unspecified()) {
            prop_assert!(policy.check_ip(IpAddr::V6(v6)).is_err(), "{v6}");
        }
    }

    #[test]
    fn mapped_and_translated_addresses_are_judged_as_ipv4(bits: u32) {
        let (policy, v4) = (EgressPolicy::default(), Ipv4Addr::from_bits(bits));
        let open = policy.check_ip(IpAddr::V4(v4)).is_ok();
        for v6 in spellings_in_v6(v4).into_iter().take(3) {
            prop_assert_eq!(policy.check_ip(IpAddr::V6(v6)).is_ok(), open, "{}", v6);
        }
    }

    #[test]
    fn only_global_unicast_is_open_in_ipv6(
        head in prop_oneof![0x65..0x2000_u16, 0x4000..=u16::MAX], rest: u128,
    ) {
        let v6 = Ipv6Addr::from_bits((u128::from(head) << 112) | (rest >> 16));
        prop_assert!(EgressPolicy::default().check_ip(IpAddr::V6(v6)).is_err());
    }

    #[test]
    fn an_accepted_url_is_accepted_again_unchanged(
        url in prop_oneof!["\\PC*", "https?://[0-9a-fx.:%\\[\\]]{1,12}[/?#\\PC]{0,8}"],
    ) {
        let policy = EgressPolicy { allow_http: true, ..open_to(&["0.0.0.0/0", "::/0"]) };
        if let Ok(target) = policy.check_url(&url) {
            prop_assert_eq!(policy.check_url(target.url.as_str()), Ok(target));
        }
    }
}
