//! What is secret is shown nowhere: not when all is well, and not in any way to fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use a2a_proto::a2a::AuthenticationInfo;
use a2a_proto::push::{ListDeadLettersRequest, ListDeliveriesRequest};
use a2a_store::Store;
use support::process::Process;
use support::receiver::{Received, Receiver, Reply};
use support::redis::{Redis, free_port};
use support::soon;
use support::tasks::{config, create};

const TOKEN: &str = "planted-token-4711";
const CREDENTIALS: &str = "planted-credentials-4712";
const PATH: &str = "planted-path-4713";
const QUERY: &str = "planted-query-4714";
const USER: &str = "planted-user-4715";
const SIGNING: &str = "cGxhbnRlZC1zaWduaW5nLWtleS00NzE2";
const SIGNING_RAW: &str = "planted-signing-key-4716";

async fn webhook(store: &Store, task: &str, url: &str) {
    let mut config = config(task, url);
    config.token = TOKEN.into();
    config.authentication =
        Some(AuthenticationInfo { scheme: "Bearer".into(), credentials: CREDENTIALS.into() });
    create(store, task, config).await;
}

#[tokio::test]
async fn planted_secrets_appear_nowhere_but_where_they_belong() {
    let redis = Redis::start().await;
    let store = redis.store();
    let mut well = Receiver::start(|_| Reply::Status(200)).await;
    let broken = Receiver::start(|_| Reply::Status(500)).await;
    let refusing = Receiver::start(|_| Reply::Status(404)).await;
    let hanging = Receiver::start(|_| Reply::Silence).await;
    let closed = free_port();
    let files = tempfile::tempdir().unwrap();
    let secrets = files.path().join("secrets");
    fs::write(&secrets, format!("whsec_{SIGNING}\n")).unwrap();
    let tail = format!("{PATH}?k={QUERY}");
    let urls = [
        ("well", format!("http://{}/{tail}", well.addr)),
        ("broken", format!("http://{}/{tail}", broken.addr)),
        ("refusing", format!("http://{}/{tail}", refusing.addr)),
        ("hanging", format!("http://{}/{tail}", hanging.addr)),
        ("closed", format!("http://127.0.0.1:{closed}/{tail}")),
        ("tls", format!("https://{}/{tail}", well.addr)),
        ("dns", format!("http://name.invalid/{tail}")),
        ("userinfo", format!("http://{USER}:{USER}@{}/{tail}", well.addr)),
        ("inside", format!("http://10.0.0.1/{tail}")),
    ];
    for (task, url) in &urls {
        webhook(&store, task, url).await;
    }
    let secrets = secrets.display().to_string();
    let flags = ["--log-level", "debug", "--webhook-timeout-ms", "300", "--retry-base-ms", "1"];
    let more = ["--retry-max-attempts", "3", "--webhook-signing-secrets", &secrets];
    let mut process = Process::start_with(&redis.url(), &[flags.as_slice(), &more].concat()).await;

    let received = well.next().await;
    check_request(&received);
    let mut operator = process.operator().await;
    let shown = soon(async {
        loop {
            let letters = operator.list_dead_letters(ListDeadLettersRequest::default()).await.unwrap();
            let letters = letters.into_inner();
            let lanes: BTreeSet<_> = letters.dead_letters.iter().map(|letter| &letter.task_id).collect();
            if lanes.len() == urls.len() - 1 {
                break format!("{letters:?}");
            }
        }
    })
    .await;
    let deliveries = operator.list_deliveries(ListDeliveriesRequest::default()).await.unwrap();
    let mut all = format!("{shown}\n{:?}\n", deliveries.into_inner());
    for page in ["/metrics", "/readyz", "/livez"] {
        all.push_str(&process.page(page).await.1);
    }
    write!(all, "{}", process.terminate_and_read().await).unwrap();
    assert!(all.contains("attempt"), "the log is read");
    for secret in [TOKEN, CREDENTIALS, PATH, QUERY, USER, SIGNING, SIGNING_RAW] {
        let line = all.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}

/// Each secret stands where it belongs, and in no other header.
fn check_request(received: &Received) {
    let holders = |secret: &str| -> Vec<&str> {
        let holds = received.headers.iter().filter(|(_, value)| value.contains(secret));
        holds.map(|(name, _)| name.as_str()).collect()
    };
    assert_eq!(holders(CREDENTIALS), ["authorization"]);
    let mut tokens = holders(TOKEN);
    tokens.sort_unstable();
    assert_eq!(tokens, ["a2a-notification-token", "x-a2a-notification-token"]);
    for secret in [PATH, QUERY, SIGNING, SIGNING_RAW] {
        assert!(holders(secret).is_empty(), "{secret}");
        assert!(!received.body.contains(secret));
    }
    assert!(received.header("webhook-signature").unwrap().starts_with("v1,"));
}
