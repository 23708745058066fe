//! What the lists of a deployment open and close.

use super::EgressPolicy;
use super::spellings::{assert_verdicts, nets, open_to, verdict};

#[test]
fn allowed_ranges_open_every_spelling_of_their_addresses() {
    let policy = open_to(&["127.0.0.0/8", "10.1.0.0/16", "fd00::/8", "2001::/32"]);
    assert_verdicts(
        &policy,
        &[
            ("https://localhost/", "https://localhost:443"),
            ("https://api.localhost/", "https://api.localhost:443"),
            ("https://0x7f.1/", "https://127.0.0.1:443"),
            ("https://[::ffff:10.1.2.3]/", "https://[::ffff:a01:203]:443"),
            ("https://[64:ff9b::10.1.2.3]/", "https://[64:ff9b::a01:203]:443"),
            ("https://[2002:a01:203::1]/", "https://[2002:a01:203::1]:443"),
            ("https://[2001:0:808:808::1]/", "https://[2001:0:808:808::1]:443"),
            ("https://[fd00::1]/", "https://[fd00::1]:443"),
            ("https://10.2.0.1/", "address"),
            ("https://[::ffff:10.2.0.1]/", "address"),
            ("https://[2002:a02:1::1]/", "address"),
            ("https://[::1]/", "address"),
        ],
    );
    assert_eq!(verdict(&open_to(&["::1"]), "https://localhost/"), "https://localhost:443");
    assert_eq!(verdict(&open_to(&["10.0.0.0/8"]), "https://localhost/"), "internal");
}

#[test]
fn an_ipv6_range_opens_no_ipv4_address() {
    let policy = open_to(&["::/0"]);
    for address in ["::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::1", "::10.0.0.1"] {
        assert!(policy.check_ip(address.parse().unwrap()).is_err(), "{address}");
    }
    assert_eq!(policy.check_ip("fe80::1".parse().unwrap()), Ok(()));
}

#[test]
fn denied_ranges_win_in_every_spelling() {
    let deny = nets(&["10.0.0.0/24", "8.8.8.0/24", "2606:4700::/32", "64:ff9b::/96", "127.0.0.0/8"]);
    let policy = EgressPolicy { deny, ..open_to(&["10.0.0.0/8", "127.0.0.0/8"]) };
    for (address, open) in [
        ("10.0.1.1", true),
        ("10.0.0.1", false),
        ("::ffff:10.0.0.1", false),
        ("2002:a00:1::", false),
        ("8.8.8.8", false),
        ("::ffff:8.8.8.8", false),
        ("8.8.4.4", true),
        ("::ffff:8.8.4.4", true),
        ("64:ff9b::8.8.4.4", false),
        ("2606:4700::1111", false),
    ] {
        assert_eq!(policy.check_ip(address.parse().unwrap()).is_ok(), open, "{address}");
    }
    assert_eq!(verdict(&policy, "https://localhost/"), "internal");
}

#[test]
fn hosts_ports_and_http_are_as_configured() {
    let hosts = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
    let policy = EgressPolicy {
        allow_hosts: hosts(&["example.com"]),
        deny_hosts: hosts(&["internal.example.com"]),
        ports: vec![80, 443],
        allow_http: true,
        ..EgressPolicy::default()
    };
    assert_verdicts(
        &policy,
        &[
            ("http://example.com/", "http://example.com:80"),
            ("https://hooks.EXAMPLE.com./", "https://hooks.example.com:443"),
            ("https://internal.example.com/", "host"),
            ("https://a.internal.example.com./", "host"),
            ("https://badexample.com/", "host"),
            ("https://example.com.evil.example/", "host"),
            ("https://8.8.8.8/", "host"),
            ("https://127.0.0.1/", "address"),
            ("https://example.com:8443/", "port"),
            ("https://example.com:0/", "port"),
        ],
    );
}
