//! What the gRPC servers share: listening, health and reflection.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::{HealthReporter, health_reporter};
use tonic_reflection::server::{Builder, Error as DescriptorError};

use crate::readiness::Readiness;

const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_RETRIES: u32 = 3;

const OWN_SERVICES: [&str; 3] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {addr}")]
pub struct BindError {
    pub addr: SocketAddr,
    pub source: io::Error,
}

#[derive(Debug, thiserror::Error)]
#[error("the descriptors of the services cannot be read")]
pub struct ReflectionError(#[from] DescriptorError);

/// The health of the services of one port, as the health service reports it.
#[derive(Clone, Debug)]
pub struct Health {
    reporter: HealthReporter,
    services: Vec<&'static str>,
}

/// Listens on `addr`; the address returned has the real port where 0 was asked.
pub async fn bind(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let listener = TcpListener::bind(addr).await.map_err(|source| BindError { addr, source })?;
    let actual = listener.local_addr().map_err(|source| BindError { addr, source })?;
    Ok((listener, actual))
}

/// Connections for `serve_with_incoming_shutdown`. Without TCP_NODELAY each small
/// message of a stream waits for the peer's delayed acknowledgement, about 40 ms;
/// keepalive finds the clients that vanished while a stream was silent.
pub fn incoming(listener: TcpListener) -> TcpIncoming {
    TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(KEEPALIVE_IDLE))
        .with_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .with_keepalive_retries(Some(KEEPALIVE_RETRIES))
}

/// Health and reflection (v1 and v1alpha) for a port that serves `services`; the
/// port's own services are added to the routes returned. `descriptors` is an encoded
/// `google.protobuf.FileDescriptorSet` that has them, and may have more. Nothing is
/// reported as serving until [`Health::follow`] says so.
pub async fn introspection(
    descriptors: &[u8],
    services: &[&'static str],
) -> Result<(Routes, Health), ReflectionError> {
    let (reporter, health_server) = health_reporter();
    let routes = Routes::new(health_server)
        .add_service(reflection(descriptors, services).build_v1()?)
        .add_service(reflection(descriptors, services).build_v1alpha()?);
    let health = Health { reporter, services: services.to_vec() };
    health.report(false).await;
    Ok((routes, health))
}

impl Health {
    /// Reports the services as serving while the process is ready; returns once it
    /// is stopping, with all of them reported as not serving.
    pub async fn follow(self, readiness: Readiness) {
        let mut changes = readiness.changes();
        while let Some(ready) = changes.next().await {
            self.report(ready).await;
        }
        self.report(false).await;
    }

    /// The name "" stands for the server as a whole.
    async fn report(&self, ready: bool) {
        let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
        self.reporter.set_service_status("", status).await;
        for service in &self.services {
            self.reporter.set_service_status(service, status).await;
        }
    }
}

fn reflection<'a>(descriptors: &'a [u8], services: &[&str]) -> Builder<'a> {
    let builder = Builder::configure()
        .include_reflection_service(false)
        .register_encoded_file_descriptor_set(descriptors)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET);
    services.iter().chain(&OWN_SERVICES).fold(builder, |builder, name| builder.with_service_name(*name))
}
