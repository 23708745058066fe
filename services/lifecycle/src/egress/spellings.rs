//! Every way we know to write a url or an address, each with its verdict under the default policy.

use std::net::IpAddr;

use ipnet::IpNet;

use super::{EgressPolicy, MAX_URL_BYTES, Refusal, parse_range};

pub(super) fn open_to(ranges: &[&str]) -> EgressPolicy {
    EgressPolicy { allow: nets(ranges), ..EgressPolicy::default() }
}

pub(super) fn nets(ranges: &[&str]) -> Vec<IpNet> {
    ranges.iter().map(|range| parse_range(range).unwrap()).collect()
}

/// The verdict in a word, the origin if there is no refusal.
pub(super) fn verdict(policy: &EgressPolicy, url: &str) -> String {
    match policy.check_url(url) {
        Ok(target) => target.origin.to_string(),
        Err(refusal) => word(&refusal).to_owned(),
    }
}

fn word(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::TooLong => "too long",
        Refusal::Character => "character",
        Refusal::Scheme => "scheme",
        Refusal::PlainHttp => "plain http",
        Refusal::NoHost => "no host",
        Refusal::UserInfo => "user info",
        Refusal::Malformed(_) => "malformed",
        Refusal::EmptyLabel => "empty label",
        Refusal::InternalHost { .. } => "internal",
        Refusal::Host { .. } => "host",
        Refusal::Address { .. } => "address",
        Refusal::Port { .. } => "port",
    }
}

pub(super) fn assert_verdicts(policy: &EgressPolicy, table: &[(&str, &str)]) {
    for (url, expected) in table {
        assert_eq!(verdict(policy, url), *expected, "{url:?}");
    }
}

#[test]
fn urls_under_the_default_policy() {
    assert_verdicts(
        &EgressPolicy::default(),
        &[
            ("https://example.com", "https://example.com:443"),
            ("https://example.com/hook?key=1#part", "https://example.com:443"),
            ("HTTPS://EXAMPLE.COM/", "https://example.com:443"),
            ("https://example.com.", "https://example.com:443"),
            ("https://example.com.:8443/", "https://example.com:8443"),
            ("https://example.com:443/", "https://example.com:443"),
            ("https://example.com:/", "https://example.com:443"),
            ("https://example.com:8443/", "https://example.com:8443"),
            ("https://example.com:65535/", "https://example.com:65535"),
            ("https://webhooks/", "https://webhooks:443"),
            ("https://metadata.internal/", "https://metadata.internal:443"),
            ("https://bücher.example/", "https://xn--bcher-kva.example:443"),
            ("https://ｅｘａｍｐｌｅ．com/", "https://example.com:443"),
            ("https://ex%61mple.com/", "https://example.com:443"),
            ("https://example.com/a%20b", "https://example.com:443"),
            ("https://example.com/?to=user@host", "https://example.com:443"),
            ("https://8.8.8.8/", "https://8.8.8.8:443"),
            ("https://134744072/", "https://8.8.8.8:443"),
            ("https://[2606:4700::1111]/", "https://[2606:4700::1111]:443"),
            ("https://[::ffff:8.8.8.8]:8443/", "https://[::ffff:808:808]:8443"),
            ("http://example.com/", "plain http"),
            ("", "scheme"),
            ("example.com", "scheme"),
            ("//example.com/", "scheme"),
            ("ftp://example.com/", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("gopher://example.com/", "scheme"),
            ("ws://example.com/", "scheme"),
            ("unix://socket", "scheme"),
            ("data:text/plain,x", "scheme"),
            ("javascript://example.com/", "scheme"),
            ("https:example.com", "scheme"),
            ("https:/example.com", "scheme"),
            ("https://", "no host"),
            ("https:///", "no host"),
            ("https:///example.com/", "no host"),
            ("https://?q", "no host"),
            ("https://:443/", "malformed"),
            ("https://example.com:99999/", "malformed"),
            ("https://example.com:-1/", "malformed"),
            ("https://example.com:0/", "port"),
            ("https://user@example.com/", "user info"),
            ("https://user:secret@example.com/", "user info"),
            ("https://:@example.com/", "user info"),
            ("https://@example.com/", "user info"),
            ("https://example.com@127.0.0.1/", "user info"),
            ("https://example.com%40127.0.0.1/", "malformed"),
            ("https://example.com%00.evil.example/", "malformed"),
            ("https://exa\tmple.com/", "character"),
            ("https://example.com/\r\nHost: x", "character"),
            ("ht\ntps://example.com/", "character"),
            ("\u{0}https://example.com/", "character"),
            (" https://example.com/", "character"),
            ("https://example.com/ ", "character"),
            ("https://example.com/a b", "character"),
            ("https://example.com/\u{7f}", "character"),
            ("https://example.com/\u{85}", "character"),
            ("https://example.com/\u{2028}", "character"),
            ("https:\\\\example.com/", "character"),
            ("https://example.com\\@127.0.0.1/", "character"),
            ("https://a..example.com/", "empty label"),
            ("https://example.com../", "empty label"),
            ("https://.example.com/", "empty label"),
            ("https://./", "empty label"),
            ("https://127.0.0.1../", "empty label"),
            ("https://localhost../", "empty label"),
            ("https://localhost/", "internal"),
            ("https://LOCALHOST./", "internal"),
            ("https://api.localhost:8443/", "internal"),
            ("https://%6cocalhost/", "internal"),
            ("https://ｌｏｃａｌｈｏｓｔ/", "internal"),
            ("https://ⓛocalhost/", "internal"),
            ("https://local\u{ad}host/", "internal"),
        ],
    );
}

#[test]
fn literal_addresses_under_the_default_policy() {
    let refused = [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0X7F.0.0.1",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "0177.0x0.0.1",
        "127.0.0.1:8443",
        "%31%32%37.0.0.1",
        "１２７．０．０．１",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "0",
        "0.0.0.0",
        "0x0",
        "10.0.0.1",
        "167772161",
        "012.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "192.168.257",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::FFFF:7f00:1]",
        "[0:0:0:0:0:ffff:a00:1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::169.254.169.254]",
        "[64:ff9b:1::8.8.8.8]",
        "[2002:7f00:1::]",
        "[2002:808:808::1]",
        "[2001:0:808:808::f7f7:f7f7]",
        "[2001:2::1]",
        "[2001:10::1]",
        "[2001:db8::1]",
        "[3fff::1]",
        "[5f00::1]",
        "[100::1]",
        "[::ffff:0:7f00:1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[4000::1]",
    ];
    for host in refused {
        assert_eq!(verdict(&EgressPolicy::default(), &format!("https://{host}/")), "address", "{host}");
    }
}

#[test]
fn hosts_that_are_no_address_and_no_name() {
    for host in
        ["[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1", "::1", "256.0.0.1", "1.2.3.4.5", "0x7f.0.0.0.1", "08"]
    {
        assert_eq!(verdict(&EgressPolicy::default(), &format!("https://{host}/")), "malformed", "{host}");
    }
}

#[test]
fn addresses_at_the_edges_of_the_ranges() {
    let policy = EgressPolicy::default();
    for (address, public) in [
        ("1.0.0.0", true),
        ("9.255.255.255", true),
        ("11.0.0.0", true),
        ("100.63.255.255", true),
        ("100.128.0.0", true),
        ("126.255.255.255", true),
        ("128.0.0.0", true),
        ("172.15.255.255", true),
        ("172.32.0.0", true),
        ("192.0.1.0", true),
        ("198.17.255.255", true),
        ("198.20.0.0", true),
        ("223.255.255.255", true),
        ("224.0.0.0", false),
        ("1fff:ffff::", false),
        ("2000::", true),
        ("2001:1ff:ffff::", false),
        ("2001:200::", true),
        ("2001:db7:ffff::", true),
        ("2001:db9::", true),
        ("2003::", true),
        ("3ffe:ffff::", true),
        ("3fff:fff:ffff::", false),
        ("3fff:1000::", true),
        ("4000::", false),
        ("::8.8.8.8", true),
        ("64:ff9b::8.8.8.8", true),
        ("64:ff9b::1:808:808", false),
    ] {
        assert_eq!(policy.check_ip(address.parse().unwrap()).is_ok(), public, "{address}");
    }
}

#[test]
fn a_url_has_a_limit() {
    let padded = |len: usize| format!("{:a<len$}", "https://example.com/");
    assert_eq!(verdict(&EgressPolicy::default(), &padded(MAX_URL_BYTES)), "https://example.com:443");
    assert_eq!(verdict(&EgressPolicy::default(), &padded(MAX_URL_BYTES + 1)), "too long");
    let grows = format!("https://example.com/{}", "ü".repeat(500));
    assert_eq!(verdict(&EgressPolicy::default(), &grows), "too long");
}

#[test]
fn a_target_keeps_the_path_and_shows_only_the_origin() {
    let target = EgressPolicy::default().check_url("https://Example.com./s3cret?key=s3cret#s3cret").unwrap();
    assert_eq!(target.url.as_str(), "https://example.com/s3cret?key=s3cret");
    assert_eq!(target.literal, None);
    let shown = format!("{target:?} {target:#?} {}", target.origin);
    assert!(shown.contains("https://example.com:443") && !shown.contains("s3cret"), "{shown}");
}

#[test]
fn a_literal_is_told_to_the_dialler() {
    let target = EgressPolicy::default().check_url("https://0x08080808/").unwrap();
    assert_eq!(target.literal, Some(IpAddr::from([8, 8, 8, 8])));
}

#[test]
fn no_refusal_shows_the_path_or_the_query() {
    let urls =
        ["http://h/s3cret?s3cret", "https://10.0.0.1/s3cret", "https://u:s3cret@h/", "https://h:0/s3cret"];
    for url in urls {
        let refusal = EgressPolicy::default().check_url(url).unwrap_err();
        assert!(!format!("{refusal} {refusal:?}").contains("s3cret"), "{refusal:?}");
    }
}
