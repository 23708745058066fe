//! The connection to Redis, and how long an operation waits for it.

use std::time::Duration;

use a2a_runtime::clock;
use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, RedisError, Script, ScriptInvocation,
    aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
};

use crate::{Fault, settings::StoreSettings};

/// The longest pause between two tries to reconnect.
const RECONNECT_CAP: Duration = Duration::from_millis(500);
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// A shared connection that reconnects for ever. Each operation is tried again
/// while Redis is away, up to the patience of the settings: every script is
/// safe to run twice.
#[derive(Clone)]
pub(crate) struct Link {
    client: Client,
    shared: ConnectionManager,
    timeout: Duration,
    patience: Duration,
}

/// A script with its keys and arguments.
pub(crate) struct Call {
    invocation: ScriptInvocation<'static>,
}

impl Link {
    pub(crate) fn open(settings: &StoreSettings) -> Result<Self, RedisError> {
        let client = Client::open(settings.redis_url.expose())?;
        let timeout = Duration::from_millis(settings.redis_timeout_ms);
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(timeout))
            .set_connection_timeout(Some(timeout))
            .set_min_delay(Duration::from_millis(20))
            .set_max_delay(RECONNECT_CAP);
        let shared = ConnectionManager::new_lazy_with_config(client.clone(), config)?;
        Ok(Self { client, shared, timeout, patience: Duration::from_millis(settings.redis_patience_ms) })
    }

    /// Runs a script, again and again while Redis is away.
    pub(crate) async fn run<T: FromRedisValue>(&self, call: &Call) -> Result<T, Fault> {
        self.persist(|| {
            let mut connection = self.shared.clone();
            async move { call.invocation.invoke_async(&mut connection).await }
        })
        .await
    }

    /// Runs a command, again and again while Redis is away.
    pub(crate) async fn query<T: FromRedisValue>(&self, command: &redis::Cmd) -> Result<T, Fault> {
        self.persist(|| {
            let mut connection = self.shared.clone();
            async move { command.query_async(&mut connection).await }
        })
        .await
    }

    /// A connection of its own, for reads that block for up to `block`: on the
    /// shared one they would stall everybody.
    pub(crate) async fn dedicated(&self, block: Duration) -> Result<MultiplexedConnection, Fault> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(block + self.timeout));
        self.client.get_multiplexed_async_connection_with_config(&config).await.map_err(Fault::from_redis)
    }

    async fn persist<T, F>(&self, operation: impl Fn() -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, RedisError>>,
    {
        let started = clock::instant();
        loop {
            let left = self.patience.saturating_sub(started.elapsed());
            let Ok(outcome) = tokio::time::timeout(left.max(RETRY_PAUSE), operation()).await else {
                return Err(Fault::Unavailable(out_of_patience()));
            };
            let fault = match outcome {
                Ok(reply) => return Ok(reply),
                Err(error) => Fault::from_redis(error),
            };
            if !fault.is_transient() || started.elapsed() >= self.patience {
                return Err(fault);
            }
            tracing::debug!(error = %fault.chain(), "redis is away; trying again");
            clock::pause(RETRY_PAUSE).await;
        }
    }
}

impl Call {
    pub(crate) fn new(script: &'static Script) -> Self {
        Self { invocation: script.prepare_invoke() }
    }

    pub(crate) fn key(mut self, key: impl redis::ToRedisArgs) -> Self {
        self.invocation.key(key);
        self
    }

    pub(crate) fn arg(mut self, arg: impl redis::ToRedisArgs) -> Self {
        self.invocation.arg(arg);
        self
    }
}

fn out_of_patience() -> RedisError {
    RedisError::from((redis::ErrorKind::Io, "no connection in time"))
}
