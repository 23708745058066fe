//! What the service needs before it starts, and what it says when that is not
//! there.

use std::{
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};

use a2a_tests::{
    process::{ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
    until,
};
use tempfile::NamedTempFile;
use tokio::process::Command;

use crate::stage::SOON;

/// Runs the binary beside this test with nothing but these settings, up to its
/// own end.
async fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let here = std::env::current_exe().expect("the path of this test");
    let binary: PathBuf = here.ancestors().nth(2).expect("target/<profile>").join("a2a-task-service");
    let ports =
        ["--grpc-addr", "127.0.0.1:0", "--agent-grpc-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"];
    let ports = ports.into_iter().filter(|_| !arguments.contains(&"--grpc-addr"));
    let mut command = Command::new(binary);
    command.env_clear().envs(environment.iter().copied()).args(ports).args(arguments);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(SOON, command.output()).await;
    output.expect("the start is refused in time").expect("run the service")
}

#[track_caller]
fn assert_refused(output: &Output, says: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(says.iter().all(|part| text.contains(part)), "expected {says:?} in:\n{text}");
}

#[tokio::test]
async fn bad_flags() {
    for (arguments, says) in [
        (&["--no-such-flag", "1"][..], &["--no-such-flag", "--help"][..]),
        (&["--redis-url", "http://x"], &["--redis-url", "redis://"]),
        (&["--redis-url", "redis://"], &["--redis-url", "redis://"]),
        (&["--grpc-addr", "here"], &["--grpc-addr", "here"]),
        (&["--shards", "0"], &["--shards", "1..=1024"]),
        (&["--work-lease-ms", "1"], &["--work-lease-ms", "500"]),
        (&["--late-artifacts", "maybe"], &["--late-artifacts", "refuse", "accept"]),
        (&["--allow-webhook-cidr", "10.0.0.0/99"], &["--allow-webhook-cidr", "10.0.0.0/99"]),
    ] {
        let output = run(arguments, &[]).await;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_refused(&output, says);
    }
}

#[tokio::test]
async fn bad_environment() {
    for (name, value, says) in [
        ("A2A_REDIS_URI", "redis://x", "did you mean A2A_REDIS_URL?"),
        ("A2A_QUUX", "1", "unknown setting A2A_QUUX"),
        ("A2A_DRAIN_MS", "soon", "--drain-ms"),
        ("A2A_SHARDS", "1000000", "--shards"),
    ] {
        let output = run(&[], &[(name, value)]).await;
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_refused(&output, &[says]);
    }
}

#[tokio::test]
async fn a_bad_card() {
    let file = NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("UTF-8");
    let refused = async |text: &str| {
        std::fs::write(path, text).expect("write");
        run(&["--plaintext-secrets", "--agent-card", path], &[]).await
    };
    assert_refused(&refused("{").await, &["agent card", "JSON"]);
    assert_refused(&refused("{\"name\":7}").await, &["agent card"]);
    assert_refused(&refused("{\"description\":\"x\"}").await, &["name must not be empty"]);
    assert_refused(
        &run(&["--plaintext-secrets", "--agent-card", "/no/such/card"], &[]).await,
        &["/no/such/card"],
    );
}

#[tokio::test]
async fn a_redis_that_drops_keys() {
    let extra = ["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"].map(str::to_owned).to_vec();
    let redis = RedisServer::start(RedisOptions { extra, ..RedisOptions::default() }).await;
    let mut service = TaskService::start(&redis, ServiceOptions::default()).await;
    let status = service.wait_exit(SOON).await;
    assert_eq!(status.code(), Some(1));
    service.wait_for_log("set it to noeviction", SOON).await;
}

#[tokio::test]
async fn another_number_of_shards() {
    let redis = RedisServer::start(RedisOptions::default()).await;
    let first = TaskService::start(&redis, ServiceOptions::default()).await;
    until("the first is ready", SOON, async || ready(&first).await).await;
    let mut second = TaskService::start(&redis, ServiceOptions::default().flag("shards", 8)).await;
    assert_eq!(second.wait_exit(SOON).await.code(), Some(1));
    second.wait_for_log("write --shards 16", SOON).await;
    assert!(ready(&first).await.is_some(), "the first goes on");
}

#[tokio::test]
async fn a_service_that_starts_before_redis_waits_for_it() {
    let mut redis = RedisServer::start(RedisOptions::default()).await;
    redis.kill().await;
    let service = TaskService::start(&redis, ServiceOptions::default()).await;
    service.wait_for_log("redis is not there yet", SOON + Duration::from_secs(20)).await;
    assert!(ready(&service).await.is_none());
    redis.restart().await;
    until("it is ready", SOON, async || ready(&service).await).await;
}

async fn ready(service: &TaskService) -> Option<()> {
    let answer = reqwest::get(format!("http://{}/readyz", service.at.admin)).await.ok()?;
    answer.status().is_success().then_some(())
}
