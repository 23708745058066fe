//! Logs and traces of the process.
//!
//! Logs go to standard error. Spans always get trace ids, which travel in headers and
//! records; they are exported where an OTLP endpoint is set.

mod log;
mod otlp;

use std::fmt;
use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use http::Uri;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::ExporterBuildError;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

pub use log::{BadLogFilter, ChangeError, LogFilter, LogGone, LogHandle};

#[derive(Args, Clone, Debug)]
pub struct TelemetrySettings {
    /// What is logged: a level, or comma-separated directives such as `info,a2a_store=debug`
    #[arg(long, env = "A2A_LOG_LEVEL", default_value = "info", value_name = "FILTER")]
    pub log_level: LogFilter,

    /// How log lines look [default: json, or pretty where standard error is a terminal]
    #[arg(long, env = "A2A_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Where spans are sent by OTLP over gRPC, such as http://localhost:4317 [default: nowhere]
    #[arg(long, env = "A2A_OTLP_ENDPOINT", value_name = "URL", value_parser = otlp::endpoint)]
    pub otlp_endpoint: Option<Uri>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Pretty,
    /// One JSON object a line
    Json,
}

#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error("bad log filter")]
    Filter(#[from] BadLogFilter),
    #[error("cannot set up the OTLP exporter for {endpoint}")]
    Exporter { endpoint: Uri, source: ExporterBuildError },
    #[error("the process already has a log")]
    AlreadyInstalled(#[from] TryInitError),
}

/// Keeps telemetry running; spans not yet exported are sent when it is dropped.
#[must_use = "dropping the guard ends telemetry"]
pub struct TelemetryGuard {
    spans: SdkTracerProvider,
    log: LogHandle,
}

/// Starts logging and tracing. Needs a Tokio runtime, and a crypto provider where the
/// OTLP endpoint is https.
pub fn init(
    settings: &TelemetrySettings,
    service_name: &'static str,
    version: &'static str,
) -> Result<TelemetryGuard, TelemetryError> {
    let TelemetrySettings { log_level, log_format, otlp_endpoint } = settings;
    let (log_layer, log) = log::layer(log_level, log_format.unwrap_or_else(default_format))?;
    let spans = otlp::provider(otlp_endpoint.as_ref(), service_name, version)?;
    // Spans have their own filter: a quieter log must not break traces.
    let span_layer = tracing_opentelemetry::layer()
        .with_tracer(spans.tracer(service_name))
        .with_location(false)
        .with_threads(false)
        .with_filter(LevelFilter::INFO);
    tracing_subscriber::registry().with(log_layer).with(span_layer).try_init()?;
    Ok(TelemetryGuard { spans, log })
}

impl TelemetryGuard {
    /// The means to change the log level while the process runs.
    pub fn log_handle(&self) -> LogHandle {
        self.log.clone()
    }

    /// Sends the spans not yet exported, in at most five seconds, and ends tracing.
    pub async fn shutdown(self) {
        // Exporting needs the runtime's threads: only a thread of its own may wait for it.
        if let Err(error) = tokio::task::spawn_blocking(move || drop(self)).await {
            tracing::warn!(%error, "telemetry did not end in order");
        }
    }
}

impl Drop for TelemetryGuard {
    fn drop(&mut self) {
        if let Err(error) = self.spans.shutdown() {
            tracing::warn!(%error, "spans were lost");
        }
    }
}

impl fmt::Debug for TelemetryGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelemetryGuard").finish_non_exhaustive()
    }
}

fn default_format() -> LogFormat {
    if std::io::stderr().is_terminal() { LogFormat::Pretty } else { LogFormat::Json }
}
