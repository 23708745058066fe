//! The agents' lanes: work handed out under leases.

use std::time::Duration;

use a2a_proto::agent::WorkRequest;
use redis::Value;

use crate::{
    Fault, Store,
    codec::{protobuf, unstamp},
    keys::Shard,
    link::Call,
    script,
};

/// Tasks leased by one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Their ids.
    pub tasks: Vec<String>,
    /// When the next one of the shard is due, if any is waiting or leased.
    pub next_due: Option<Duration>,
}

/// What the holder of a lease is to deal with next.
#[derive(Clone, Debug, PartialEq)]
pub enum Handed {
    /// A request of the client.
    Request {
        /// The revision at which the task took it.
        revision: u64,
        /// What the client asked.
        request: Box<WorkRequest>,
        /// How often the task was handed out, this time included.
        deliveries: i32,
    },
    /// Nothing (more).
    Idle,
    /// The lease is another's by now, or the task has ended.
    Lost,
}

/// The token is not that of the task's lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lease is not held under this token")]
pub struct LeaseLost;

impl Store {
    /// Leases up to `most` due tasks of a tenant in a shard.
    pub async fn claim_work(
        &self,
        shard: Shard,
        tenant: &str,
        most: usize,
        lease_ms: u64,
        token: &str,
    ) -> Result<Claimed, Fault> {
        let keys = self.keys.shard(shard);
        let call = Call::new(&script::CLAIM)
            .key(keys.due_work(tenant))
            .key(keys.leases_work())
            .arg(most)
            .arg(lease_ms)
            .arg(token);
        let (next_due, tasks) = claimed(self.link.run(&call).await?);
        Ok(Claimed { tasks, next_due })
    }

    /// The holder's next request, after the one of revision `after`; 0 starts
    /// over. Renews the lease.
    pub async fn next_request(
        &self,
        tenant: &str,
        task: &str,
        token: &str,
        lease_ms: u64,
        after: u64,
    ) -> Result<Handed, Fault> {
        let keys = self.keys.task(task);
        let call = Call::new(&script::WORK_LOAD)
            .key(keys.shard().due_work(tenant))
            .key(keys.shard().leases_work())
            .key(keys.work_lane())
            .key(keys.requests())
            .arg(task)
            .arg(token)
            .arg(lease_ms)
            .arg(after);
        handed(&self.link.run::<Vec<Value>>(&call).await?)
    }

    /// Renews a lease; answers when it ends, ms since the epoch.
    pub async fn extend_work(
        &self,
        tenant: &str,
        task: &str,
        token: &str,
        lease_ms: u64,
    ) -> Result<Result<i64, LeaseLost>, Fault> {
        let keys = self.keys.task(task);
        let call = Call::new(&script::WORK_EXTEND)
            .key(keys.shard().due_work(tenant))
            .key(keys.shard().leases_work())
            .arg(task)
            .arg(token)
            .arg(lease_ms);
        let until_ms: i64 = self.link.run(&call).await?;
        Ok(if until_ms == 0 { Err(LeaseLost) } else { Ok(until_ms) })
    }

    /// How long a lease still lasts, and the revision of the last request handed
    /// out under it.
    pub async fn peek_work(
        &self,
        tenant: &str,
        task: &str,
        token: &str,
    ) -> Result<Result<(Duration, u64), LeaseLost>, Fault> {
        let keys = self.keys.task(task);
        let call = Call::new(&script::WORK_PEEK)
            .key(keys.shard().due_work(tenant))
            .key(keys.shard().leases_work())
            .key(keys.work_lane())
            .arg(task)
            .arg(token);
        let (remaining_ms, sent): (i64, u64) = self.link.run(&call).await?;
        Ok(u64::try_from(remaining_ms).map(|ms| (Duration::from_millis(ms), sent)).map_err(|_| LeaseLost))
    }

    /// Gives a lease back. Unless finished, what was received under it is due
    /// again at once.
    pub async fn release_work(
        &self,
        tenant: &str,
        task: &str,
        token: &str,
        finished: bool,
    ) -> Result<Result<(), LeaseLost>, Fault> {
        let keys = self.keys.task(task);
        let call = Call::new(&script::WORK_RELEASE)
            .key(keys.shard().due_work(tenant))
            .key(keys.shard().leases_work())
            .key(keys.work_lane())
            .key(keys.requests())
            .arg(task)
            .arg(token)
            .arg(u8::from(finished));
        let reply: String = self.link.run(&call).await?;
        Ok(if reply == "ok" { Ok(()) } else { Err(LeaseLost) })
    }

    /// The tenants that have, or had, tasks in a shard.
    pub async fn tenants(&self, shard: Shard) -> Result<Vec<String>, Fault> {
        let mut command = redis::cmd("SMEMBERS");
        command.arg(self.keys.shard(shard).tenants());
        self.link.query(&command).await
    }
}

/// Takes apart the reply of `claim.lua`.
pub(crate) fn claimed(reply: Vec<String>) -> (Option<Duration>, Vec<String>) {
    let mut reply = reply.into_iter();
    let next_due = reply.next().and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
    (next_due, reply.collect())
}

fn handed(reply: &[Value]) -> Result<Handed, Fault> {
    use redis::from_redis_value_ref as from;
    let parse = |error: redis::ParsingError| Fault::Refused(error.into());
    match from::<String>(reply.first().unwrap_or(&Value::Nil)).map_err(parse)?.as_str() {
        "request" => {
            let entry: Vec<u8> = from(reply.get(1).unwrap_or(&Value::Nil)).map_err(parse)?;
            let (revision, bytes) = unstamp("request", &entry)?;
            let deliveries = from(reply.get(2).unwrap_or(&Value::Nil)).map_err(parse)?;
            Ok(Handed::Request { revision, request: Box::new(protobuf("request", bytes)?), deliveries })
        }
        "idle" => Ok(Handed::Idle),
        _ => Ok(Handed::Lost),
    }
}
