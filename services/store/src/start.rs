//! Opening the store, and what must be true of a Redis before it is used.

use std::sync::Arc;

use redis::RedisError;

use crate::{
    Fault,
    keys::Keyspace,
    link::Link,
    seal::{BadKeyRing, KeyRing, Vault},
    settings::StoreSettings,
};

/// Everything in Redis. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) link: Link,
    pub(crate) keys: Arc<Keyspace>,
    pub(crate) log_max_events: u64,
    pub(crate) vault: Vault,
}

/// Why a Redis cannot be used as it is.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address was understood and still cannot be used.
    #[error("cannot use the address of Redis")]
    Address(#[source] RedisError),
    /// The key ring cannot be used.
    #[error(transparent)]
    KeyRing(#[from] BadKeyRing),
    /// Nothing says how secrets are to be stored.
    #[error("webhook secrets would lie in Redis in the clear: write --key-ring FILE, or --plaintext-secrets")]
    NoKeyRing,
    /// Another number of shards was used before.
    #[error(
        "this deployment was started with {held} shards: write --shards {held}, or use another --key-prefix"
    )]
    Shards {
        /// The number in Redis.
        held: u16,
    },
    /// Redis may drop keys when it is full.
    #[error("Redis has maxmemory-policy {policy}, under which it drops tasks: set it to noeviction")]
    Eviction {
        /// The policy.
        policy: String,
    },
    /// Redis could not be asked.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Store {
    /// Opens the store without waiting for Redis.
    pub fn open(settings: &StoreSettings) -> Result<Self, StartError> {
        Ok(Self {
            link: Link::open(settings).map_err(StartError::Address)?,
            keys: Arc::new(Keyspace::new(&settings.key_prefix, settings.shards)),
            log_max_events: settings.log_max_events,
            vault: vault(settings)?,
        })
    }

    /// Checks that this Redis can be used, and takes it into use.
    pub async fn verify(&self) -> Result<(), StartError> {
        self.verify_eviction().await?;
        self.verify_shards().await
    }

    /// Whether Redis answers.
    pub async fn ping(&self) -> Result<(), Fault> {
        self.link.query::<()>(&redis::cmd("PING")).await
    }

    /// All keys.
    #[must_use]
    pub fn keyspace(&self) -> &Keyspace {
        &self.keys
    }

    async fn verify_eviction(&self) -> Result<(), StartError> {
        let mut info = redis::cmd("INFO");
        info.arg("memory");
        let memory: String = self.link.query(&info).await?;
        let policy = memory.lines().find_map(|line| line.strip_prefix("maxmemory_policy:"));
        match policy {
            Some(policy) if policy != "noeviction" => Err(StartError::Eviction { policy: policy.to_owned() }),
            _ => Ok(()),
        }
    }

    async fn verify_shards(&self) -> Result<(), StartError> {
        let (key, shards) = (self.keys.shards_key(), self.keys.shard_count());
        let mut set = redis::cmd("SET");
        set.arg(&key).arg(shards).arg("NX");
        self.link.query::<()>(&set).await?;
        let mut get = redis::cmd("GET");
        get.arg(&key);
        let held: u16 = self.link.query(&get).await?;
        if held == shards { Ok(()) } else { Err(StartError::Shards { held }) }
    }
}

fn vault(settings: &StoreSettings) -> Result<Vault, StartError> {
    match &settings.key_ring {
        Some(path) => Ok(Vault::Ring(KeyRing::load(path)?)),
        None if settings.plaintext_secrets => Ok(Vault::Plain),
        None => Err(StartError::NoKeyRing),
    }
}
