//! A Redis of the test's own.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use a2a_store::{Store, StoreSettings};
use redis::aio::MultiplexedConnection;
use tempfile::TempDir;

use super::soon;

pub const PREFIX: &str = "t:{00}:";

pub struct Redis {
    child: Child,
    port: u16,
    _dir: TempDir,
}

impl Redis {
    /// Starts one and waits until it answers.
    pub async fn start() -> Self {
        Self::start_on(free_port()).await
    }

    pub async fn start_on(port: u16) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let program = std::env::var("A2A_TEST_REDIS_SERVER").unwrap_or_else(|_| "redis-server".into());
        let child = Command::new(program)
            .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--dir"])
            .arg(dir.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is on the PATH, or named by A2A_TEST_REDIS_SERVER");
        let redis = Self { child, port, _dir: dir };
        soon(redis.store().verify()).await.unwrap();
        redis
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn store(&self) -> Store {
        let settings = StoreSettings {
            redis_url: self.url().parse().unwrap(),
            key_prefix: "t:".into(),
            shards: 1,
            redis_timeout_ms: 2_000,
            redis_patience_ms: 20_000,
            key_ring: None,
            plaintext_secrets: true,
            log_max_events: 10_000,
        };
        Store::open(&settings).unwrap()
    }

    /// For what only a test does.
    pub async fn raw(&self) -> MultiplexedConnection {
        let client = redis::Client::open(self.url()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    /// Reason, revision and status of each dead letter.
    pub async fn dead(&self) -> Vec<(String, u64, u16)> {
        let mut command = redis::cmd("XRANGE");
        command.arg(format!("{PREFIX}dead")).arg("-").arg("+");
        let range: redis::streams::StreamRangeReply =
            command.query_async(&mut self.raw().await).await.unwrap();
        let letter = |id: &redis::streams::StreamId| {
            (id.get("reason").unwrap(), id.get("revision").unwrap(), id.get("status").unwrap())
        };
        range.ids.iter().map(letter).collect()
    }

    pub async fn lane_field(&self, task: &str, field: &str) -> Option<String> {
        let mut command = redis::cmd("HGET");
        command.arg(format!("{PREFIX}lane:{task}/push/c")).arg(field);
        command.query_async(&mut self.raw().await).await.unwrap()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
