//! The process around the dispatcher: listeners, telemetry, the order of starting and ending.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use a2a_lifecycle::delivery::RetryPolicy;
use a2a_runtime::admin::{self, Admin};
use a2a_runtime::grpc::{self, BindError, ReflectionError};
use a2a_runtime::metrics::Registry;
use a2a_runtime::readiness::Readiness;
use a2a_runtime::shutdown::Shutdown;
use a2a_runtime::telemetry::{self, LogHandle, TelemetryError};
use a2a_runtime::tls::{CryptoProviderError, install_crypto_provider};
use a2a_runtime::{panic, ready_line};
use a2a_store::{StartError, Store};
use thiserror::Error;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::Server;
use tracing::error;

use crate::admin_rpc;
use crate::dispatcher::{Dispatcher, Limits};
use crate::health::RedisHealth;
use crate::metrics::Metrics;
use crate::settings::{Parts, Settings, SettingsError};
use crate::webhook::{ClientError, Webhooks, system};

const NAME: &str = "a2a-dispatcher";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Error)]
pub enum ProcessError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Crypto(#[from] CryptoProviderError),
    #[error("cannot start telemetry")]
    Telemetry(#[from] TelemetryError),
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Reflection(#[from] ReflectionError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Store(#[from] StartError),
    #[error("cannot announce the listeners on standard output")]
    Announce(#[source] io::Error),
}

/// Runs until a signal, and then until the drain is over.
pub async fn run(settings: Settings) -> Result<(), ProcessError> {
    let Parts { store, telemetry, admin_addr, grpc_addr, egress, retry, webhooks, limits } =
        settings.into_parts()?;
    install_crypto_provider()?;
    let guard = telemetry::init(&telemetry, NAME, VERSION)?;
    panic::install_hook();
    let shutdown = Shutdown::install().map_err(ProcessError::Signals)?;
    let webhooks = Webhooks::new(egress, webhooks, system())?;
    let store = Store::open(&store)?;
    let readiness = Readiness::new(shutdown.clone());
    let served = Served { readiness, log: guard.log_handle(), shutdown, admin_addr, grpc_addr };
    let outcome = serve(served, store, webhooks, retry, limits).await;
    guard.shutdown().await;
    outcome
}

struct Served {
    readiness: Readiness,
    log: LogHandle,
    shutdown: Shutdown,
    admin_addr: SocketAddr,
    grpc_addr: SocketAddr,
}

async fn serve(
    served: Served,
    store: Store,
    webhooks: Webhooks,
    retry: RetryPolicy,
    limits: Limits,
) -> Result<(), ProcessError> {
    let Served { readiness, log, shutdown, admin_addr, grpc_addr } = served;
    let metrics = Metrics::default();
    let registry = Registry::build(NAME, VERSION, |to| metrics.register(to));
    let health = RedisHealth::new(readiness.component("redis"));
    shutdown.exit_after(limits.drain);

    let (admin_listener, admin_addr) = grpc::bind(admin_addr).await?;
    let (grpc_listener, grpc_addr) = grpc::bind(grpc_addr).await?;
    tokio::spawn(admin::serve(admin_listener, Admin { readiness: readiness.clone(), registry, log }));
    let (routes, grpc_health) =
        grpc::introspection(a2a_proto::DESCRIPTORS, &[admin_rpc::SERVICE_NAME]).await?;
    let routes = routes.add_service(admin_rpc::service(store.clone()));
    tokio::spawn(grpc_health.follow(readiness));
    tokio::spawn(serve_grpc(routes, grpc_listener, shutdown.clone()));
    ready_line::announce(&[("grpc", grpc_addr), ("admin", admin_addr)]).map_err(ProcessError::Announce)?;

    let dispatcher = Dispatcher::new(store, webhooks, retry, limits, metrics, health, shutdown);
    Ok(Arc::new(dispatcher).run().await?)
}

async fn serve_grpc(routes: Routes, listener: TcpListener, shutdown: Shutdown) {
    let stopping = shutdown.clone();
    let served = Server::builder()
        .add_routes(routes)
        .serve_with_incoming_shutdown(grpc::incoming(listener), async move { stopping.stopping().await })
        .await;
    if let Err(error) = served {
        error!(error = a2a_runtime::error_chain::describe(&error), "the gRPC server ended");
        shutdown.trigger();
    }
}
