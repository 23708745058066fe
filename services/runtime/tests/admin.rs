//! The admin endpoint over a real socket.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::net::SocketAddr;

use a2a_runtime::admin::{Admin, serve};
use a2a_runtime::metrics::Registry;
use a2a_runtime::readiness::Readiness;
use a2a_runtime::shutdown::Shutdown;
use a2a_runtime::telemetry::{TelemetrySettings, init};
use a2a_runtime::{grpc, panic};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

struct Answer {
    status: u16,
    head: String,
    body: String,
}

async fn ask(addr: SocketAddr, method: &str, path: &str, body: &str) -> Answer {
    let mut socket = TcpStream::connect(addr).await.unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\
         content-type: text/plain\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// One test, because a process has one log.
#[tokio::test]
async fn the_endpoint_answers_probes_scrapes_and_log_changes() {
    let settings =
        TelemetrySettings { log_level: "warn".parse().unwrap(), log_format: None, otlp_endpoint: None };
    let telemetry = init(&settings, "a2a-test", "1.2.3").unwrap();
    panic::install_hook();
    let shutdown = Shutdown::without_signals();
    let readiness = Readiness::new(shutdown.clone());
    let redis = readiness.component("redis");
    let admin = Admin {
        readiness,
        registry: Registry::build("a2a-test", "1.2.3", |_| {}),
        log: telemetry.log_handle(),
    };
    let (listener, addr) = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let serving = tokio::spawn(serve(listener, admin));

    assert_eq!(ask(addr, "GET", "/livez", "").await.status, 200);

    let answer = ask(addr, "GET", "/readyz", "").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.body, r#"{"ready":false,"stopping":false,"components":{"redis":false}}"#);
    redis.set(true);
    assert_eq!(ask(addr, "GET", "/readyz", "").await.status, 200);

    let answer = ask(addr, "GET", "/metrics", "").await;
    assert!(answer.head.contains("content-type: application/openmetrics-text"), "{}", answer.head);
    assert!(answer.body.contains("a2a_build_info{"), "{}", answer.body);

    assert_eq!(ask(addr, "GET", "/log-level", "").await.body, "warn\n");
    assert!(!tracing::enabled!(target: "a2a_store", tracing::Level::DEBUG));
    assert_eq!(ask(addr, "PUT", "/log-level", "info,a2a_store=debug").await.status, 204);
    assert!(tracing::enabled!(target: "a2a_store", tracing::Level::DEBUG));
    let answer = ask(addr, "PUT", "/log-level", "a2a_store=loud").await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("write a level"), "{}", answer.body);
    assert_eq!(ask(addr, "PUT", "/log-level", &"x".repeat(5_000)).await.status, 413);
    assert_eq!(ask(addr, "GET", "/log-level", "").await.body, "info,a2a_store=debug\n");

    let panicked = tokio::spawn(async { panic!("logged, not fatal") }).await;
    assert!(panicked.unwrap_err().is_panic());

    shutdown.trigger();
    let answer = ask(addr, "GET", "/readyz", "").await;
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains(r#""stopping":true"#), "{}", answer.body);
    assert_eq!(ask(addr, "GET", "/livez", "").await.status, 200);

    serving.abort();
    telemetry.shutdown().await;
}
