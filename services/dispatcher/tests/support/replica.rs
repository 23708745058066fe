//! A dispatcher in this process.

use std::sync::Arc;
use std::time::Duration;

use a2a_dispatcher::dispatcher::{Dispatcher, Limits};
use a2a_dispatcher::gate::{BreakerLimits, GateLimits};
use a2a_dispatcher::health::RedisHealth;
use a2a_dispatcher::metrics::Metrics;
use a2a_dispatcher::webhook::{WebhookLimits, Webhooks, system};
use a2a_lifecycle::delivery::RetryPolicy;
use a2a_lifecycle::egress::EgressPolicy;
use a2a_runtime::random;
use a2a_runtime::readiness::Readiness;
use a2a_runtime::shutdown::Shutdown;
use a2a_store::Store;
use http::HeaderValue;
use tokio::task::JoinHandle;

use super::soon;

pub const LEASE_MS: u64 = 2_000;
const LEASE: Duration = Duration::from_millis(LEASE_MS);

pub struct Replica {
    shutdown: Shutdown,
    running: JoinHandle<()>,
}

pub fn loopback() -> EgressPolicy {
    let allow = vec!["127.0.0.0/8".parse().unwrap()];
    EgressPolicy { allow, allow_http: true, ..EgressPolicy::default() }
}

pub fn webhook_limits() -> WebhookLimits {
    WebhookLimits {
        timeout: Duration::from_millis(900),
        max_idle_per_origin: 32,
        content_type: HeaderValue::from_static("application/a2a+json"),
        extra_authorities: vec![],
        signer: Arc::default(),
        proxy: None,
    }
}

impl Replica {
    pub fn start(store: Store) -> Self {
        Self::with(store, loopback(), 32)
    }

    pub fn with(store: Store, egress: EgressPolicy, per_origin: u32) -> Self {
        let breaker = BreakerLimits { failures: 0, open: Duration::from_millis(100), open_cap: LEASE };
        Self::limited(store, egress, GateLimits { attempts: 64, retries: 32, per_origin, breaker })
    }

    pub fn limited(store: Store, egress: EgressPolicy, gate: GateLimits) -> Self {
        Self::retrying(store, egress, gate, (50, Duration::from_millis(20)))
    }

    /// Makes at most so many attempts of an event, and waits at most so long between two.
    pub fn retrying(
        store: Store,
        egress: EgressPolicy,
        gate: GateLimits,
        (max_attempts, ceiling): (u32, Duration),
    ) -> Self {
        let retry = RetryPolicy { ceilings: vec![ceiling], max_attempts, ..RetryPolicy::default() };
        let limits = Limits {
            worker_name: random::uuid().to_string(),
            lease_ms: LEASE_MS,
            gate,
            poison_deaths: 3,
            disable_after_exhausted: 2,
            max_dead_letters: 1_000,
            change_retention: Duration::from_secs(60),
            drain: Duration::from_millis(500),
        };
        let shutdown = Shutdown::without_signals();
        let health = RedisHealth::new(Readiness::new(shutdown.clone()).component("redis"));
        let webhooks = Webhooks::new(egress, webhook_limits(), system()).unwrap();
        let metrics = Metrics::default();
        let dispatcher =
            Arc::new(Dispatcher::new(store, webhooks, retry, limits, metrics, health, shutdown.clone()));
        let running = tokio::spawn(async move { dispatcher.run().await.unwrap() });
        Self { shutdown, running }
    }

    pub async fn stop(self) {
        self.shutdown.trigger();
        soon(self.running).await.unwrap();
    }
}
