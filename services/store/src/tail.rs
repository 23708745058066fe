//! Following the change streams of all shards, live.

use std::time::Duration;

use redis::{aio::MultiplexedConnection, streams::StreamReadReply};

use crate::{Change, Fault, Store, keys::Shard};

/// How long one read waits for changes.
const BLOCK: Duration = Duration::from_millis(1_000);
/// Most changes taken from a shard at once.
const PAGE: usize = 512;

/// A reader of every shard's change stream, on a connection of its own. It
/// keeps its place over lost connections.
pub struct Tail {
    store: Store,
    connection: Option<MultiplexedConnection>,
    shards: Vec<Following>,
}

struct Following {
    key: String,
    /// The last entry seen.
    last: Option<String>,
}

impl Store {
    /// A tail that starts with the next change after its first read began.
    #[must_use]
    pub fn tail(&self) -> Tail {
        let follow = |shard: Shard| Following { key: self.keys.shard(shard).changes(), last: None };
        Tail { store: self.clone(), connection: None, shards: self.keys.shards().map(follow).collect() }
    }
}

impl Tail {
    /// Finds the place to start from, so that no later change is missed. Answers
    /// whether it did so just now: what came before is not seen here.
    pub async fn start(&mut self) -> Result<bool, Fault> {
        let mut started = false;
        for following in &mut self.shards {
            if following.last.is_none() {
                following.last = Some(newest_id(&self.store, &following.key).await?);
                started = true;
            }
        }
        Ok(started)
    }

    /// The next changes; none when there were none for a while. After an error
    /// the next call connects anew and goes on where the last one stopped. An
    /// entry that cannot be read is passed over and logged.
    pub async fn next(&mut self) -> Result<Vec<Change>, Fault> {
        self.start().await?;
        let reply = self.read().await.inspect_err(|_| self.connection = None)?;
        let mut changes = Vec::new();
        for stream in reply.keys {
            let Some(following) = self.shards.iter_mut().find(|following| following.key == stream.key) else {
                continue;
            };
            for entry in stream.ids {
                match Change::decode(&entry.map) {
                    Ok(change) => changes.push(change),
                    Err(error) => tracing::error!(%error, entry = entry.id, "a change cannot be read"),
                }
                following.last = Some(entry.id);
            }
        }
        Ok(changes)
    }

    async fn read(&mut self) -> Result<StreamReadReply, Fault> {
        if self.connection.is_none() {
            self.connection = Some(self.store.link.dedicated(BLOCK).await?);
        }
        let mut command = redis::cmd("XREAD");
        command.arg("COUNT").arg(PAGE).arg("BLOCK").arg(BLOCK.as_millis() as usize).arg("STREAMS");
        for following in &self.shards {
            command.arg(&following.key);
        }
        for following in &self.shards {
            command.arg(following.last.as_deref().unwrap_or("0-0"));
        }
        let Some(connection) = self.connection.as_mut() else { return Ok(StreamReadReply::default()) };
        let reply: Option<StreamReadReply> =
            command.query_async(connection).await.map_err(Fault::from_redis)?;
        Ok(reply.unwrap_or_default())
    }
}

async fn newest_id(store: &Store, key: &str) -> Result<String, Fault> {
    let mut command = redis::cmd("XREVRANGE");
    command.arg(key).arg("+").arg("-").arg("COUNT").arg(1);
    let reply: redis::streams::StreamRangeReply = store.link.query(&command).await?;
    Ok(reply.ids.into_iter().next().map_or_else(|| "0-0".to_owned(), |entry| entry.id))
}
