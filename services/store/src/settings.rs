//! Where Redis is, and how the store uses it.

use std::{fmt, path::PathBuf, str::FromStr};

use redis::IntoConnectionInfo as _;
use secrecy::{ExposeSecret as _, SecretString};

/// The settings of the store, alike in both services.
#[derive(Clone, Debug, clap::Args)]
pub struct StoreSettings {
    /// Redis: redis://[user:password@]host:port[/db], or rediss:// for TLS
    #[arg(long, env = "A2A_REDIS_URL", value_name = "URL", default_value = "redis://127.0.0.1:6379")]
    pub redis_url: RedisUrl,

    /// What every key starts with; deployments that share a Redis need different ones
    #[arg(long, env = "A2A_KEY_PREFIX", default_value = "a2a:", value_parser = key_prefix)]
    pub key_prefix: String,

    /// Parts that the keys are divided into; fixed once a deployment has started
    #[arg(long, env = "A2A_SHARDS", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub shards: u16,

    /// Longest wait for one answer of Redis, ms
    #[arg(long, env = "A2A_REDIS_TIMEOUT_MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(50..=60_000))]
    pub redis_timeout_ms: u64,

    /// How long an operation is tried again while Redis is away, ms
    #[arg(long, env = "A2A_REDIS_PATIENCE_MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(50..=600_000))]
    pub redis_patience_ms: u64,

    /// Keys that seal webhook secrets in Redis: a file, a key a line: id, space, 32 bytes in base64; the first seals
    #[arg(long, env = "A2A_KEY_RING", value_name = "FILE")]
    pub key_ring: Option<PathBuf>,

    /// Without a key ring: let webhook secrets lie in Redis in the clear
    #[arg(long, env = "A2A_PLAINTEXT_SECRETS", value_name = "BOOL", default_value_t = false, default_missing_value = "true", num_args = 0..=1, action = clap::ArgAction::Set)]
    pub plaintext_secrets: bool,

    /// Most events kept in a task's log; a reader that is further behind gets a snapshot
    #[arg(long, env = "A2A_LOG_MAX_EVENTS", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    pub log_max_events: u64,
}

/// The address of a Redis. It may hold a password, so it shows only the host.
#[derive(Clone)]
pub struct RedisUrl {
    url: SecretString,
    shown: String,
}

/// A Redis address that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadRedisUrl {
    /// Not one of the forms.
    #[error("write redis://host:port, or rediss://host:port for TLS")]
    Form,
    /// The client library refuses it.
    #[error("not an address of a Redis: write redis://[user:password@]host:port[/db]")]
    Address,
}

impl RedisUrl {
    pub(crate) fn expose(&self) -> &str {
        self.url.expose_secret()
    }
}

impl FromStr for RedisUrl {
    type Err = BadRedisUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = url::Url::parse(text).map_err(|_| BadRedisUrl::Form)?;
        if !matches!(url.scheme(), "redis" | "rediss") {
            return Err(BadRedisUrl::Form);
        }
        text.into_connection_info().map_err(|_| BadRedisUrl::Address)?;
        let host = url.host_str().ok_or(BadRedisUrl::Form)?;
        let shown = format!("{}://{host}:{}", url.scheme(), url.port().unwrap_or(6379));
        Ok(Self { url: text.to_owned().into(), shown })
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

fn key_prefix(text: &str) -> Result<String, String> {
    if text.contains(['{', '}']) {
        return Err("a prefix with braces would move the hash tag: write one without { and }".into());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let url: RedisUrl = "rediss://user:hunter2@redis.example:7000/3".parse().unwrap();
        assert_eq!(format!("{url} {url:?}"), "rediss://redis.example:7000 rediss://redis.example:7000");
    }

    #[test]
    fn wrong_addresses_are_refused() {
        for text in ["", "localhost:6379", "http://localhost", "redis://", "redis://h:1/notadb"] {
            assert!(text.parse::<RedisUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_prefix_must_not_hold_a_hash_tag() {
        assert!(key_prefix("a{b}").is_err());
        assert!(key_prefix("a2a:").is_ok());
    }
}
