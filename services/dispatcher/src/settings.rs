//! The settings, and the parts that they make.

mod egress;
mod siblings;
mod signing;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use a2a_lifecycle::delivery::RetryPolicy;
use a2a_lifecycle::egress::EgressPolicy;
use a2a_runtime::admin::AdminSettings;
use a2a_runtime::random;
use a2a_runtime::settings::{at_least, between};
use a2a_runtime::telemetry::TelemetrySettings;
use a2a_store::StoreSettings;
use clap::{Parser, ValueEnum};
use http::HeaderValue;
use reqwest::Certificate;
use thiserror::Error;

pub use egress::EgressSettings;
pub use siblings::SIBLINGS;
pub use signing::{SigningError, SigningSettings};

use crate::dispatcher::Limits;
use crate::gate::{BreakerLimits, GateLimits};
use crate::schedule::ceilings;
use crate::webhook::WebhookLimits;

/// What a lease must outlast an attempt by: the answer has to be recorded under it.
const LEASE_MARGIN_MS: u64 = 1_000;

/// Delivers the events of tasks to webhooks: at least once, in order, retried until they are old
#[derive(Clone, Debug, Parser)]
#[command(name = "a2a-dispatcher", version, about, max_term_width = 100)]
pub struct Settings {
    #[command(flatten)]
    pub store: StoreSettings,
    #[command(flatten)]
    pub telemetry: TelemetrySettings,
    #[command(flatten)]
    pub admin: AdminSettings,

    /// Where the delivery admin API, health and reflection are served; keep it private
    #[arg(long, env = "A2A_GRPC_ADDR", default_value = "127.0.0.1:50053", value_name = "IP:PORT")]
    pub grpc_addr: SocketAddr,

    /// For how long a webhook's lane is held before another replica may take it over, ms
    #[arg(long, env = "A2A_PUSH_LEASE_MS", default_value_t = 15_000, value_parser = at_least(1_100_u64))]
    pub push_lease_ms: u64,

    /// Longest attempt, from connecting to the end of the answer, ms; at least 1000 less than the lease
    #[arg(long, env = "A2A_WEBHOOK_TIMEOUT_MS", default_value_t = 10_000, value_parser = at_least(1_u64))]
    pub webhook_timeout_ms: u64,

    /// Longest wait before the first retry, ms; each wait is random up to its ceiling, which doubles
    #[arg(long, env = "A2A_RETRY_BASE_MS", default_value_t = 1_000, value_parser = at_least(1_u64))]
    pub retry_base_ms: u64,

    /// Longest wait before any retry, ms
    #[arg(long, env = "A2A_RETRY_CAP_MS", default_value_t = 600_000, value_parser = at_least(1_u64))]
    pub retry_cap_ms: u64,

    /// Most attempts of one event, the first included
    #[arg(long, env = "A2A_RETRY_MAX_ATTEMPTS", default_value_t = 30, value_parser = at_least(1_u32))]
    pub retry_max_attempts: u32,

    /// For how long after its first attempt an event is retried, ms
    #[arg(long, env = "A2A_RETRY_MAX_AGE_MS", default_value_t = 86_400_000)]
    pub retry_max_age_ms: u64,

    /// Longest wait that a receiver may ask for in Retry-After, ms
    #[arg(long, env = "A2A_RETRY_AFTER_CAP_MS", default_value_t = 3_600_000)]
    pub retry_after_cap_ms: u64,

    /// Times that a process may die during an event before the event is given up
    #[arg(long, env = "A2A_POISON_DEATHS", default_value_t = 3, value_parser = at_least(1_u32))]
    pub poison_deaths: u32,

    /// Events in a row that exhaust their attempts or time before their webhook is held; 0 for never
    #[arg(long, env = "A2A_DISABLE_AFTER_EXHAUSTED", default_value_t = 0)]
    pub disable_after_exhausted: u32,

    /// Most attempts under way at once
    #[arg(long, env = "A2A_MAX_CONCURRENT_DELIVERIES", default_value_t = 256, value_parser = between(1_u32, 65_536))]
    pub max_concurrent_deliveries: u32,

    /// Most of them that are retries; the others are kept for first attempts
    #[arg(long, env = "A2A_MAX_CONCURRENT_RETRIES", default_value_t = 64, value_parser = between(1_u32, 65_535))]
    pub max_concurrent_retries: u32,

    /// Most attempts under way at once at one scheme, host and port
    #[arg(long, env = "A2A_MAX_CONCURRENT_PER_ORIGIN", default_value_t = 32, value_parser = between(1_u32, 65_536))]
    pub max_concurrent_per_origin: u32,

    /// Failures in a row after which a scheme, host and port is left alone but for a probe; 0 for never
    #[arg(long, env = "A2A_BREAKER_FAILURES", default_value_t = 20)]
    pub breaker_failures: u32,

    /// How long it is left alone at first, ms; each failed probe doubles it
    #[arg(long, env = "A2A_BREAKER_OPEN_MS", default_value_t = 1_000, value_parser = at_least(1_u64))]
    pub breaker_open_ms: u64,

    /// Longest time that it is left alone, ms
    #[arg(long, env = "A2A_BREAKER_OPEN_CAP_MS", default_value_t = 30_000, value_parser = at_least(1_u64))]
    pub breaker_open_cap_ms: u64,

    /// The Content-Type of webhook requests
    #[arg(long, env = "A2A_WEBHOOK_CONTENT_TYPE", default_value = "application/a2a+json")]
    pub webhook_content_type: ContentType,

    #[command(flatten)]
    pub egress: EgressSettings,

    #[command(flatten)]
    pub signing: SigningSettings,

    /// A PEM file of authorities that https webhooks are trusted by, beside the system's
    #[arg(long, env = "A2A_WEBHOOK_CA_FILE", value_name = "PATH")]
    pub webhook_ca_file: Option<PathBuf>,

    /// Most dead letters kept in a shard; the oldest go first
    #[arg(long, env = "A2A_MAX_DEAD_LETTERS", default_value_t = 100_000, value_parser = at_least(1_u64))]
    pub max_dead_letters: u64,

    /// For how long a change stays in its stream for live readers after it was fanned out, ms
    #[arg(long, env = "A2A_CHANGE_RETENTION_MS", default_value_t = 600_000, value_parser = at_least(1_000_u64))]
    pub change_retention_ms: u64,

    /// How long the attempts under way may take to finish after the signal, ms
    #[arg(long, env = "A2A_DRAIN_MS", default_value_t = 10_000, value_parser = at_least(1_u64))]
    pub drain_ms: u64,

    /// The name of this replica, nobody else's [default: host, process and something random]
    #[arg(long, env = "A2A_WORKER_NAME", value_name = "NAME")]
    pub worker_name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ContentType {
    #[value(name = "application/a2a+json")]
    A2aJson,
    #[value(name = "application/json")]
    Json,
}

/// What the settings make.
#[derive(Debug)]
pub struct Parts {
    pub store: StoreSettings,
    pub telemetry: TelemetrySettings,
    pub admin_addr: SocketAddr,
    pub grpc_addr: SocketAddr,
    pub egress: EgressPolicy,
    pub retry: RetryPolicy,
    pub webhooks: WebhookLimits,
    pub limits: Limits,
}

/// Settings that do not go together.
#[derive(Debug, Error)]
pub enum SettingsError {
    #[error(
        "an attempt of {timeout_ms} ms may outlast its lease of {lease_ms} ms: write --webhook-timeout-ms {} \
         or less, or --push-lease-ms {} or more",
        lease_ms - LEASE_MARGIN_MS,
        timeout_ms + LEASE_MARGIN_MS
    )]
    Lease { timeout_ms: u64, lease_ms: u64 },
    #[error(transparent)]
    Signing(#[from] SigningError),
    #[error("cannot read the authorities in {}: write the path of a PEM file", path.display())]
    CaFile { path: PathBuf, source: io::Error },
    #[error("{} holds no certificates: write the path of a PEM file", path.display())]
    CaFormat { path: PathBuf, source: reqwest::Error },
}

impl Settings {
    pub fn into_parts(self) -> Result<Parts, SettingsError> {
        let Self {
            store,
            telemetry,
            admin: AdminSettings { admin_addr },
            grpc_addr,
            push_lease_ms,
            webhook_timeout_ms,
            retry_base_ms,
            retry_cap_ms,
            retry_max_attempts,
            retry_max_age_ms,
            retry_after_cap_ms,
            poison_deaths,
            disable_after_exhausted,
            max_concurrent_deliveries,
            max_concurrent_retries,
            max_concurrent_per_origin,
            breaker_failures,
            breaker_open_ms,
            breaker_open_cap_ms,
            webhook_content_type,
            egress,
            signing,
            webhook_ca_file,
            max_dead_letters,
            change_retention_ms,
            drain_ms,
            worker_name,
        } = self;
        check_lease(webhook_timeout_ms, push_lease_ms)?;
        let (egress, proxy) = egress.into_parts();
        let retry = RetryPolicy {
            ceilings: ceilings(Duration::from_millis(retry_base_ms), Duration::from_millis(retry_cap_ms)),
            max_attempts: retry_max_attempts,
            max_age: Duration::from_millis(retry_max_age_ms),
            retry_after_cap: Duration::from_millis(retry_after_cap_ms),
        };
        let webhooks = WebhookLimits {
            timeout: Duration::from_millis(webhook_timeout_ms),
            max_idle_per_origin: max_concurrent_per_origin as usize,
            content_type: webhook_content_type.header(),
            extra_authorities: webhook_ca_file.map_or_else(|| Ok(Vec::new()), authorities)?,
            signer: Arc::new(signing.into_signer()?),
            proxy,
        };
        let gate = GateLimits {
            attempts: max_concurrent_deliveries,
            retries: max_concurrent_retries.min((max_concurrent_deliveries / 2).max(1)),
            per_origin: max_concurrent_per_origin,
            breaker: BreakerLimits {
                failures: breaker_failures,
                open: Duration::from_millis(breaker_open_ms),
                open_cap: Duration::from_millis(breaker_open_cap_ms),
            },
        };
        let limits = Limits {
            worker_name: worker_name.unwrap_or_else(default_name),
            lease_ms: push_lease_ms,
            gate,
            poison_deaths,
            disable_after_exhausted,
            max_dead_letters,
            change_retention: Duration::from_millis(change_retention_ms),
            drain: Duration::from_millis(drain_ms),
        };
        Ok(Parts { store, telemetry, admin_addr, grpc_addr, egress, retry, webhooks, limits })
    }
}

impl ContentType {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::A2aJson => "application/a2a+json",
            Self::Json => "application/json",
        })
    }
}

fn check_lease(timeout_ms: u64, lease_ms: u64) -> Result<(), SettingsError> {
    if timeout_ms.saturating_add(LEASE_MARGIN_MS) > lease_ms {
        return Err(SettingsError::Lease { timeout_ms, lease_ms });
    }
    Ok(())
}

fn authorities(path: PathBuf) -> Result<Vec<Certificate>, SettingsError> {
    let pem = fs::read(&path).map_err(|source| SettingsError::CaFile { path: path.clone(), source })?;
    Certificate::from_pem_bundle(&pem).map_err(|source| SettingsError::CaFormat { path, source })
}

fn default_name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let random = random::uuid().simple().to_string();
    format!("{host}-{}-{}", std::process::id(), &random[..8])
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parts(args: &[&str]) -> Result<Parts, SettingsError> {
        let args = std::iter::once("a2a-dispatcher").chain(args.iter().copied());
        Settings::try_parse_from(args).unwrap().into_parts()
    }

    #[test]
    fn defaults_are_safe() {
        let parts = parts(&[]).unwrap();
        assert_eq!(parts.egress, EgressPolicy::default());
        assert_eq!(parts.grpc_addr, "127.0.0.1:50053".parse().unwrap());
        assert_eq!(parts.retry.ceilings.first(), Some(&Duration::from_secs(1)));
        assert_eq!(parts.retry.ceilings.last(), Some(&Duration::from_secs(600)));
        assert_eq!(parts.webhooks.content_type, "application/a2a+json");
    }

    #[test]
    fn an_attempt_must_end_before_its_lease() {
        let error = parts(&["--webhook-timeout-ms", "14500"]).unwrap_err().to_string();
        assert!(error.contains("--webhook-timeout-ms 14000 or less"), "{error}");
        assert!(error.contains("--push-lease-ms 15500 or more"), "{error}");
        assert!(parts(&["--webhook-timeout-ms", "14000"]).is_ok());
    }

    #[test]
    fn lists_repeat_and_split_at_commas() {
        let args = ["--allow-webhook-cidr", "10.0.0.0/8,127.0.0.1", "--allow-webhook-cidr", "fd00::/8"];
        assert_eq!(parts(&args).unwrap().egress.allow.len(), 3);
        assert_eq!(parts(&["--webhook-ports", "443,8443"]).unwrap().egress.ports, [443, 8443]);
    }

    #[test]
    fn every_flag_has_its_variable() {
        for arg in Settings::command().get_arguments().filter(|arg| arg.get_long().is_some()) {
            let variable = format!("A2A_{}", arg.get_long().unwrap().to_uppercase().replace('-', "_"));
            assert_eq!(arg.get_env().and_then(|env| env.to_str()), Some(variable.as_str()));
        }
    }

    #[test]
    fn a_missing_authority_file_is_named() {
        let error = parts(&["--webhook-ca-file", "/nonexistent.pem"]).unwrap_err().to_string();
        assert!(error.contains("/nonexistent.pem"), "{error}");
    }

    #[test]
    fn names_differ() {
        assert_ne!(default_name(), default_name());
    }
}
