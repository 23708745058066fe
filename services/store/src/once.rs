//! What must happen once, or at most so often, whatever replica is asked:
//! idempotency keys, quotas of tasks, known contexts.

use futures::future::try_join_all;

use crate::{Fault, Store, link::Call, script};

/// What an idempotency key was first used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstUse {
    /// Digest of the request.
    pub request: String,
    /// The task that it made, or was for.
    pub task: String,
    /// The change that it made.
    pub change_id: String,
}

impl Store {
    /// Remembers the first use of a key, or answers what it was: the same on
    /// every replica, and at the same instant.
    pub async fn first_use(&self, key: &str, use_now: &FirstUse, keep_ms: u64) -> Result<FirstUse, Fault> {
        let name = self.keys.shard(self.keys.shard_of(key)).idempotency(key);
        let record = [&*use_now.request, &use_now.task, &use_now.change_id].join("\n");
        let mut command = redis::cmd("SET");
        command.arg(name).arg(&record).arg("NX").arg("GET").arg("PX").arg(keep_ms);
        let held: Option<String> = self.link.query(&command).await?;
        Ok(held.and_then(|held| FirstUse::from_record(&held)).unwrap_or_else(|| use_now.clone()))
    }

    /// The revision at which a task took the message of a change, if it is
    /// remembered.
    pub async fn taken_at(&self, task: &str, change_id: &str) -> Result<Option<u64>, Fault> {
        let mut command = redis::cmd("HGET");
        command.arg(self.keys.task(task).taken()).arg(change_id);
        self.link.query(&command).await
    }

    /// Reserves one of a tenant's tasks; answers whether it may have another.
    pub async fn reserve_task(&self, tenant: &str, most: u64) -> Result<bool, Fault> {
        let counted = self.count_tasks(tenant).await?;
        let call = Call::new(&script::QUOTA).key(self.quota(tenant)).arg(most).arg(counted);
        self.link.run(&call).await
    }

    /// Gives back a reservation that came to nothing.
    pub async fn release_task(&self, tenant: &str) -> Result<(), Fault> {
        let mut command = redis::cmd("DECR");
        command.arg(self.quota(tenant));
        self.link.query(&command).await
    }

    /// Gives back the task of a tenant whose tasks are counted.
    pub(crate) async fn release_if_counted(&self, tenant: &str) -> Result<(), Fault> {
        let mut exists = redis::cmd("EXISTS");
        exists.arg(self.quota(tenant));
        if self.link.query::<bool>(&exists).await? { self.release_task(tenant).await } else { Ok(()) }
    }

    /// Whether a context has a task.
    pub async fn knows_context(&self, tenant: &str, context: &str) -> Result<bool, Fault> {
        let exists = self.keys.shards().map(|shard| {
            let mut command = redis::cmd("EXISTS");
            command.arg(self.keys.shard(shard).context_index(tenant, context));
            async move { self.link.query::<bool>(&command).await }
        });
        Ok(try_join_all(exists).await?.into_iter().any(|known| known))
    }

    async fn count_tasks(&self, tenant: &str) -> Result<u64, Fault> {
        let mut exists = redis::cmd("EXISTS");
        exists.arg(self.quota(tenant));
        if self.link.query::<bool>(&exists).await? {
            return Ok(0);
        }
        let counts = self.keys.shards().map(|shard| {
            let mut command = redis::cmd("ZCARD");
            command.arg(self.keys.shard(shard).tenant_index(tenant));
            async move { self.link.query::<u64>(&command).await }
        });
        Ok(try_join_all(counts).await?.into_iter().sum())
    }

    fn quota(&self, tenant: &str) -> String {
        self.keys.shard(self.keys.shard_of(tenant)).quota(tenant)
    }
}

impl FirstUse {
    fn from_record(record: &str) -> Option<Self> {
        let mut lines = record.split('\n').map(str::to_owned);
        Some(Self { request: lines.next()?, task: lines.next()?, change_id: lines.next()? })
    }
}
