//! The admin endpoint: probes, metrics and the log level. For operators and the
//! platform only: it has no authentication.
//!
//! | path | method | answer |
//! |---|---|---|
//! | `/livez` | GET | 200 as long as the event loop turns |
//! | `/readyz` | GET | 200 or 503, and the state of each component |
//! | `/metrics` | GET | OpenMetrics text |
//! | `/log-level` | GET, PUT | the log filter; a bad one is answered 400 and why |

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use clap::Args;
use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::error_chain::describe;
use crate::metrics::{CONTENT_TYPE, Registry};
use crate::readiness::Readiness;
use crate::telemetry::{ChangeError, LogFilter, LogHandle};

const LOG_FILTER_MAX_BYTES: usize = 4 * 1024;

#[derive(Args, Clone, Debug)]
pub struct AdminSettings {
    /// Where probes, metrics and the log level are served; keep it private
    #[arg(long, env = "A2A_ADMIN_ADDR", default_value = "127.0.0.1:9090", value_name = "IP:PORT")]
    pub admin_addr: SocketAddr,
}

/// What the endpoint shows.
#[derive(Clone, Debug)]
pub struct Admin {
    pub readiness: Readiness,
    pub registry: Registry,
    pub log: LogHandle,
}

/// Serves until dropped: probes and scrapes are answered through the drain, too.
pub async fn serve(listener: TcpListener, admin: Admin) -> io::Result<()> {
    axum::serve(listener, router(admin)).await
}

fn router(admin: Admin) -> Router {
    Router::new()
        .route("/livez", get(async || "ok\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/log-level", get(log_level).put(set_log_level))
        .layer(DefaultBodyLimit::max(LOG_FILTER_MAX_BYTES))
        .with_state(admin)
}

async fn readyz(State(admin): State<Admin>) -> Response {
    let report = admin.readiness.report();
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(report)).into_response()
}

async fn metrics(State(admin): State<Admin>) -> Response {
    match admin.registry.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            warn!(%error, "metrics cannot be encoded");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

async fn log_level(State(admin): State<Admin>) -> String {
    format!("{}\n", admin.log.current())
}

async fn set_log_level(State(admin): State<Admin>, filter: String) -> Response {
    match change_log_level(&admin.log, &filter) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error @ ChangeError::Filter(_)) => refusal(StatusCode::BAD_REQUEST, &error),
        Err(error @ ChangeError::Gone(_)) => refusal(StatusCode::SERVICE_UNAVAILABLE, &error),
    }
}

fn change_log_level(log: &LogHandle, filter: &str) -> Result<(), ChangeError> {
    let filter: LogFilter = filter.parse()?;
    log.set(&filter)?;
    info!(%filter, "log level changed");
    Ok(())
}

fn refusal(status: StatusCode, error: &dyn Error) -> Response {
    (status, format!("{}\n", describe(error))).into_response()
}
