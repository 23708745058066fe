//! The subcommands against real servers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::ExitCode;

use a2a_runtime::grpc::{bind, incoming, introspection};
use a2a_runtime::readiness::Readiness;
use a2a_runtime::shutdown::Shutdown;
use a2a_runtime::tool::{Probe, ProbeError, Tool};
use tonic::transport::Server;

const SERVICE: &str = "test.Service";

/// A server whose one component is ready or not.
async fn server(ready: bool) -> String {
    let readiness = Readiness::new(Shutdown::without_signals());
    let component = readiness.component("redis");
    component.set(ready);
    let (listener, addr) = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (routes, health) = introspection(tonic_health::pb::FILE_DESCRIPTOR_SET, &[SERVICE]).await.unwrap();
    tokio::spawn(health.follow(readiness));
    tokio::spawn(Server::builder().add_routes(routes).serve_with_incoming(incoming(listener)));
    addr.to_string()
}

fn probe(target: &str, service: &str, wait_ms: u64) -> Probe {
    Probe { target: target.parse().unwrap(), service: service.to_owned(), timeout_ms: 5_000, wait_ms }
}

#[tokio::test]
async fn a_port_that_serves_passes() {
    let target = server(true).await;
    probe(&target, "", 10_000).run().await.unwrap();
    probe(&target, SERVICE, 10_000).run().await.unwrap();
    let tool = Tool::Probe(probe(&target, SERVICE, 0));
    assert_eq!(format!("{:?}", tool.run().await), format!("{:?}", ExitCode::SUCCESS));
}

#[tokio::test]
async fn a_port_that_does_not_serve_fails() {
    let target = server(false).await;
    let error = probe(&target, "", 1).run().await.unwrap_err();
    assert_eq!(error.to_string(), format!("{target} is NOT_SERVING"));
}

#[tokio::test]
async fn a_service_that_is_not_there_fails() {
    let target = server(true).await;
    let error = probe(&target, "other.Service", 0).run().await.unwrap_err();
    assert!(matches!(error, ProbeError::Refused(..)), "{error}");
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_fails() {
    let (listener, addr) = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    drop(listener);
    let error = probe(&addr.to_string(), "", 0).run().await.unwrap_err();
    assert!(matches!(error, ProbeError::Unreachable(..)), "{error}");
    let tool = Tool::Probe(probe(&addr.to_string(), "", 0));
    assert_eq!(format!("{:?}", tool.run().await), format!("{:?}", ExitCode::FAILURE));
}
