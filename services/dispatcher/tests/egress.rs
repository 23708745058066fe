//! Where requests go, where they do not, and what becomes of odd answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use a2a_dispatcher::webhook::{EgressProxy, Lookup, WebhookLimits, Webhooks, system};
use a2a_lifecycle::delivery::{Failure, Outcome};
use a2a_lifecycle::egress::EgressPolicy;
use a2a_runtime::clock;
use bytes::Bytes;
use http::HeaderMap;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reqwest::Certificate;
use support::dns::NameServer;
use support::receiver::{Receiver, Reply};
use support::replica::{loopback, webhook_limits};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, pem::PemObject};

async fn outcome(webhooks: &Webhooks, url: &str) -> Outcome {
    let target = webhooks.target(url).unwrap();
    webhooks.send(&target, HeaderMap::new(), Bytes::from_static(b"{}")).await.outcome
}

fn webhooks(policy: EgressPolicy, lookup: Lookup) -> Webhooks {
    Webhooks::new(policy, webhook_limits(), lookup).unwrap()
}

fn always(ips: &[&str]) -> Lookup {
    let ips: Vec<IpAddr> = ips.iter().map(|ip| ip.parse().unwrap()).collect();
    Arc::new(move |_| {
        let ips = ips.clone();
        Box::pin(async { Ok(ips) })
    })
}

fn status(status: u16) -> Outcome {
    Outcome::Answered { status, retry_after: None }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let mut receiver = Receiver::start(|_| Reply::With(302, "location: /elsewhere\r\n")).await;
    let webhooks = webhooks(loopback(), system());
    assert_eq!(outcome(&webhooks, &receiver.url()).await, status(302));
    receiver.next().await;
    assert!(receiver.is_silent());
}

#[tokio::test]
async fn a_closed_literal_address_is_refused_before_anything_is_opened() {
    let canary = Receiver::start(|_| Reply::Status(200)).await;
    let policy = EgressPolicy { allow_http: true, ..EgressPolicy::default() };
    let webhooks = webhooks(policy, system());
    let port = canary.addr.port();
    for host in
        ["127.0.0.1", "0x7f.1", "2130706433", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0", "localhost"]
    {
        assert!(webhooks.target(&format!("http://{host}:{port}/")).is_err(), "{host}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_inside_opens_no_connection() {
    let canary = Receiver::start(|_| Reply::Status(200)).await;
    let policy = EgressPolicy { allow_http: true, ..EgressPolicy::default() };
    let webhooks = webhooks(policy, always(&["127.0.0.1", "::1"]));
    let url = format!("http://rebound.example:{}/", canary.addr.port());
    assert_eq!(outcome(&webhooks, &url).await, Outcome::Failed(Failure::Egress));
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn only_the_open_address_of_a_name_is_dialled() {
    let mut receiver = Receiver::start(|_| Reply::Status(200)).await;
    let webhooks = webhooks(loopback(), always(&["10.0.0.1", "127.0.0.1"]));
    let url = format!("http://hook.example:{}/", receiver.addr.port());
    assert_eq!(outcome(&webhooks, &url).await, status(200));
    let host = format!("hook.example:{}", receiver.addr.port());
    assert_eq!(receiver.next().await.header("host"), Some(host.as_str()));
}

#[tokio::test]
async fn each_way_to_fail_has_its_name() {
    let webhooks =
        webhooks(loopback(), Arc::new(|_| Box::pin(async { Err(std::io::Error::other("no such name")) })));
    let failed = Outcome::Failed;
    assert_eq!(outcome(&webhooks, "http://missing.example/").await, failed(Failure::Dns));

    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(outcome(&webhooks, &format!("http://{closed}/")).await, failed(Failure::Connect));

    let receiver = Receiver::start(|_| Reply::Raw(b"")).await;
    assert_eq!(outcome(&webhooks, &receiver.url()).await, failed(Failure::Reset));

    let receiver = Receiver::start(|_| Reply::Raw(b"SSH-2.0-not http\r\n\r\n")).await;
    assert_eq!(outcome(&webhooks, &receiver.url()).await, failed(Failure::Protocol));

    let receiver = Receiver::start(|_| Reply::Silence).await;
    assert_eq!(outcome(&webhooks, &receiver.url()).await, failed(Failure::Timeout));

    let plain = Receiver::start(|_| Reply::Status(200)).await;
    let https = format!("https://{}/", plain.addr);
    let outcome = outcome(&webhooks, &https).await;
    assert!(matches!(outcome, Outcome::Failed(Failure::Tls | Failure::Timeout)), "{outcome:?}");
}

#[tokio::test]
async fn a_body_without_end_ends_with_the_deadline_and_changes_nothing() {
    let receiver = Receiver::start(|_| Reply::Endless(200)).await;
    let webhooks = webhooks(loopback(), system());
    let started = clock::instant();
    assert_eq!(outcome(&webhooks, &receiver.url()).await, status(200));
    assert!(started.elapsed() < webhooks.timeout() + Duration::from_secs(2));
}

#[tokio::test]
async fn retry_after_is_read() {
    let receiver = Receiver::start(|_| Reply::With(503, "retry-after: 7\r\n")).await;
    let webhooks = webhooks(loopback(), system());
    let Outcome::Answered { status: 503, retry_after: Some(wait) } =
        outcome(&webhooks, &receiver.url()).await
    else {
        panic!("not the answer");
    };
    assert_eq!(wait.delay(), Duration::from_secs(7));
}

#[tokio::test]
async fn an_authority_of_the_deployment_is_trusted_and_no_other() {
    a2a_runtime::tls::install_crypto_provider().unwrap();
    let (authority, acceptor) = authority();
    let mut receiver = Receiver::listen(Some(acceptor), |_| Reply::Status(200)).await;
    let lookup = always(&["127.0.0.1"]);
    let url = format!("https://hook.example:{}/", receiver.addr.port());

    assert_eq!(outcome(&webhooks(loopback(), lookup.clone()), &url).await, Outcome::Failed(Failure::Tls));
    let limits = WebhookLimits { extra_authorities: vec![authority], ..webhook_limits() };
    let trusting = Webhooks::new(loopback(), limits, lookup).unwrap();
    assert_eq!(outcome(&trusting, &url).await, status(200));
    receiver.next().await;
    let other = format!("https://other.example:{}/", receiver.addr.port());
    assert_eq!(outcome(&trusting, &other).await, Outcome::Failed(Failure::Tls));
    assert!(receiver.is_silent());
}

/// A name that leads to an open address when it is asked about, and to a closed one the next time.
#[tokio::test]
async fn a_name_that_is_rebound_never_reaches_the_closed_address() {
    const ATTEMPTS: usize = 100;
    let canary = Receiver::start(|_| Reply::Status(200)).await;
    let open = SocketAddr::new("127.0.0.2".parse().unwrap(), canary.addr.port());
    let server = Receiver::listen_on(open, None, |_| Reply::With(200, "connection: close\r\n")).await;
    let names = NameServer::start(&["127.0.0.2", "127.0.0.1"]).await;
    let policy = EgressPolicy { allow: vec!["127.0.0.2/32".parse().unwrap()], ..loopback() };
    let webhooks = webhooks(policy, names.lookup());
    let url = format!("http://rebound.example:{}/", open.port());
    let mut delivered = 0;
    for _ in 0..ATTEMPTS {
        match outcome(&webhooks, &url).await {
            Outcome::Failed(Failure::Egress) => {}
            answered => {
                assert_eq!(answered, status(200));
                delivered += 1;
            }
        }
    }
    assert_eq!((names.asked(), delivered), (ATTEMPTS, ATTEMPTS / 2));
    assert_eq!((server.connections(), canary.connections()), (ATTEMPTS / 2, 0));
}

fn through(proxy: &Receiver, trusted: bool, policy: EgressPolicy, lookup: Lookup) -> Webhooks {
    let url = format!("http://user:hunter2@{}", proxy.addr);
    let proxy = url.parse::<EgressProxy>().unwrap().trusted(trusted);
    let limits = WebhookLimits { proxy: Some(proxy), ..webhook_limits() };
    Webhooks::new(policy, limits, lookup).unwrap()
}

#[tokio::test]
async fn a_proxy_is_asked_by_name_and_only_for_names_that_lead_outside() {
    let mut proxy = Receiver::start(|_| Reply::Status(202)).await;
    let policy = EgressPolicy { allow_http: true, ..EgressPolicy::default() };
    let url = "http://hook.example/path";
    let outside = through(&proxy, false, policy.clone(), always(&["8.8.8.8"]));
    assert_eq!(outcome(&outside, url).await, status(202));
    let request = proxy.next().await;
    assert_eq!(request.request_line, "POST http://hook.example/path HTTP/1.1");
    assert!(request.header("proxy-authorization").is_some());

    for inside in [&["127.0.0.1"][..], &["8.8.8.8", "10.0.0.1"]] {
        let inside = through(&proxy, false, policy.clone(), always(inside));
        assert_eq!(outcome(&inside, url).await, Outcome::Failed(Failure::Egress));
    }
    let missing = through(&proxy, false, policy.clone(), always(&[]));
    assert_eq!(outcome(&missing, url).await, Outcome::Failed(Failure::Dns));
    assert!(proxy.is_silent());

    let trusted = through(&proxy, true, policy, always(&["127.0.0.1"]));
    assert_eq!(outcome(&trusted, url).await, status(202));
    assert!(trusted.target("http://127.0.0.1/").is_err());
}

/// An authority, and a server that it vouches for as hook.example.
fn authority() -> (Certificate, TlsAcceptor) {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf =
        CertificateParams::new(vec!["hook.example".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let private = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], private)
        .unwrap();
    (Certificate::from_pem(issuer.pem().as_bytes()).unwrap(), TlsAcceptor::from(Arc::new(config)))
}
