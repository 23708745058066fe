//! The dispatcher's consumer group on the change streams.

use std::{collections::HashMap, time::Duration};

use redis::{
    Value,
    aio::MultiplexedConnection,
    from_redis_value_ref,
    streams::{StreamAutoClaimReply, StreamId, StreamReadReply},
};

use crate::{
    Fault, Store,
    changes::text,
    keys::{PushLane, Shard},
    link::Call,
    script,
};

/// The group's name. Others may have groups of their own.
const GROUP: &str = "dispatcher";
/// How long one read waits for changes. Short, so that a shutdown need not cut
/// a read: what a cut read was given waits for another consumer to claim it.
const BLOCK: Duration = Duration::from_millis(200);
/// Most entries taken at once from a shard.
const PAGE: usize = 128;
/// Entries that a consumer has held for so long belong to a dead one.
const STALE: Duration = Duration::from_secs(5);

/// A member of the group, on a connection of its own.
pub struct Member {
    store: Store,
    name: String,
    connection: Option<MultiplexedConnection>,
    shards: HashMap<String, Shard>,
}

/// Entries of one shard that are to be fanned out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Where they come from.
    pub shard: Shard,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    id: String,
    /// Empty when the entry could not be read.
    task: String,
}

impl Store {
    /// A member of the group. Its name must be nobody else's.
    #[must_use]
    pub fn join_group(&self, name: &str) -> Member {
        let shards = self.keys.shards().map(|shard| (self.keys.shard(shard).changes(), shard)).collect();
        Member { store: self.clone(), name: name.to_owned(), connection: None, shards }
    }

    /// Makes every lane of the entries' tasks due and acknowledges the entries;
    /// answers how many lanes woke up.
    pub async fn fan_out(&self, batch: &Batch) -> Result<u64, Fault> {
        let (woken, _) = self.fan_out_and_claim(batch, 0, 1, "").await?;
        Ok(woken)
    }

    /// The same; of the lanes that woke up, up to `most` are leased at once, which
    /// saves the claim.
    pub async fn fan_out_and_claim(
        &self,
        batch: &Batch,
        most: usize,
        lease_ms: u64,
        token: &str,
    ) -> Result<(u64, Vec<PushLane>), Fault> {
        let keys = self.keys.shard(batch.shard);
        let mut call =
            Call::new(&script::FANOUT).key(keys.changes()).key(keys.due_push()).key(keys.leases_push());
        for entry in &batch.entries {
            call = call.key(self.keys.task_in(batch.shard, &entry.task).push());
        }
        call = call.arg(GROUP).arg(most).arg(lease_ms).arg(token);
        for entry in &batch.entries {
            call = call.arg(&entry.id).arg(&entry.task);
        }
        let reply: Vec<Value> = self.link.run(&call).await?;
        let number = |value: &Value| match value {
            Value::Int(number) => u64::try_from(*number).unwrap_or(0),
            _ => 0,
        };
        let woken = reply.first().map_or(0, number);
        let member = |value: &Value| from_redis_value_ref::<String>(value).ok();
        let members = reply.iter().skip(1).filter_map(member);
        Ok((woken, members.filter_map(|member| PushLane::from_member(&member)).collect()))
    }

    /// Creates the group where it is missing, at the start of the stream:
    /// changes made before it are still to be fanned out.
    pub async fn ensure_group(&self) -> Result<(), Fault> {
        for shard in self.keys.shards() {
            let mut command = redis::cmd("XGROUP");
            command.arg("CREATE").arg(self.keys.shard(shard).changes()).arg(GROUP).arg("0").arg("MKSTREAM");
            match self.link.query::<()>(&command).await {
                Err(Fault::Refused(error)) if error.code() == Some("BUSYGROUP") => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// Takes over entries whose consumer has died.
    pub async fn take_over(&self, shard: Shard, member: &str) -> Result<Batch, Fault> {
        let mut command = redis::cmd("XAUTOCLAIM");
        command
            .arg(self.keys.shard(shard).changes())
            .arg(GROUP)
            .arg(member)
            .arg(STALE.as_millis() as usize)
            .arg("0")
            .arg("COUNT")
            .arg(PAGE);
        let reply: StreamAutoClaimReply = self.link.query(&command).await?;
        Ok(Batch::new(shard, &reply.claimed))
    }

    /// Trims a shard's change stream: drops what every group has acknowledged
    /// and no live reader can still want.
    pub async fn trim_changes(&self, shard: Shard, keep: Duration) -> Result<u64, Fault> {
        let call =
            Call::new(&script::TRIM).key(self.keys.shard(shard).changes()).arg(keep.as_millis() as usize);
        self.link.run(&call).await
    }

    /// Forgets members that have been silent for `silent` and hold nothing.
    pub async fn forget_members(&self, shard: Shard, silent: Duration) -> Result<u64, Fault> {
        let call = Call::new(&script::FORGET)
            .key(self.keys.shard(shard).changes())
            .arg(GROUP)
            .arg(silent.as_millis() as usize);
        self.link.run(&call).await
    }
}

impl Member {
    /// New entries, by shard; none when there were none for a while. Never
    /// cancel it: entries given to a cancelled read must first grow stale.
    pub async fn next(&mut self) -> Result<Vec<Batch>, Fault> {
        let reply = self.read().await.inspect_err(|_| self.connection = None)?;
        let batch = |(shard, ids): (Option<&Shard>, &[StreamId])| shard.map(|shard| Batch::new(*shard, ids));
        Ok(reply
            .keys
            .iter()
            .filter_map(|stream| batch((self.shards.get(&stream.key), &stream.ids)))
            .collect())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    async fn read(&mut self) -> Result<StreamReadReply, Fault> {
        if self.connection.is_none() {
            self.connection = Some(self.store.link.dedicated(BLOCK).await?);
        }
        let mut command = redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(&self.name).arg("COUNT").arg(PAGE);
        command.arg("BLOCK").arg(BLOCK.as_millis() as usize).arg("STREAMS");
        for key in self.shards.keys() {
            command.arg(key);
        }
        for _ in &self.shards {
            command.arg(">");
        }
        let Some(connection) = self.connection.as_mut() else { return Ok(StreamReadReply::default()) };
        let reply: Option<StreamReadReply> =
            command.query_async(connection).await.map_err(Fault::from_redis)?;
        Ok(reply.unwrap_or_default())
    }
}

impl Batch {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries to fan out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    fn new(shard: Shard, ids: &[StreamId]) -> Self {
        let entry = |entry: &StreamId| Entry {
            id: entry.id.clone(),
            task: text(&entry.map, "task").unwrap_or_else(|error| {
                tracing::error!(%error, entry = entry.id, "a change cannot be read");
                String::new()
            }),
        };
        Self { shard, entries: ids.iter().map(entry).collect() }
    }
}
