//! Spans reach a collector over a real socket.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::time::Duration;

use a2a_runtime::grpc;
use a2a_runtime::telemetry::{LogFormat, TelemetryError, TelemetrySettings, init};
use a2a_runtime::trace::TraceContext;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use tokio::sync::mpsc;

const BODY_MAX_BYTES: usize = 1 << 20;
const EXPORT_WAIT: Duration = Duration::from_secs(30);

/// A collector that tells the path and the body of each request.
fn collector(listener: tokio::net::TcpListener) -> mpsc::UnboundedReceiver<(String, Vec<u8>)> {
    let (told, heard) = mpsc::unbounded_channel();
    let router = Router::new().fallback(async move |request: Request<Body>| {
        let path = request.uri().path().to_owned();
        let body = to_bytes(request.into_body(), BODY_MAX_BYTES).await.unwrap();
        told.send((path, body.to_vec())).unwrap();
        [("content-type", "application/grpc"), ("grpc-status", "0")]
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    heard
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_are_exported_when_the_guard_shuts_down() {
    let (listener, addr) = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let mut exports = collector(listener);
    let settings = TelemetrySettings {
        log_level: "off".parse().unwrap(),
        log_format: Some(LogFormat::Json),
        otlp_endpoint: Some(format!("http://{addr}").parse().unwrap()),
    };
    let telemetry = init(&settings, "a2a-test", "1.2.3").unwrap();
    assert!(matches!(init(&settings, "a2a-test", "1.2.3"), Err(TelemetryError::AlreadyInstalled(_))));

    // A log that is off leaves traces whole.
    let context = tracing::info_span!("deliver_event").in_scope(TraceContext::current);
    assert!(!context.is_empty());
    tracing::debug_span!("too_fine_to_export").in_scope(|| {});
    telemetry.shutdown().await;

    let (path, body) = tokio::time::timeout(EXPORT_WAIT, exports.recv()).await.unwrap().unwrap();
    assert_eq!(path, "/opentelemetry.proto.collector.trace.v1.TraceService/Export");
    for text in ["deliver_event", "a2a-test", "service.version", "1.2.3"] {
        assert!(contains(&body, text), "{text} is missing");
    }
    assert!(!contains(&body, "too_fine_to_export"));
}
