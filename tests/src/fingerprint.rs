//! A digest of everything in Redis, to show that a refused call changed nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::{self, Debug},
};

use redis::{AsyncCommands, FromRedisValue, aio::MultiplexedConnection, from_redis_value};
use sha2::{Digest, Sha256};

use crate::redis::RedisServer;

/// Every key with a digest of its type and value.
///
/// Left out is what mere reading moves: expiry times, and the groups of a stream.
#[derive(Clone, PartialEq, Eq)]
pub struct Fingerprint(BTreeMap<String, String>);

impl RedisServer {
    /// Of all keys but those that match a pattern of `except`, where `*` stands
    /// for any text.
    pub async fn fingerprint(&self, except: &[&str]) -> Fingerprint {
        let mut connection = self.client().await;
        let mut digests = BTreeMap::new();
        for key in keys(&mut connection).await {
            if !except.iter().any(|pattern| matches(pattern, &key)) {
                let digest = digest(&mut connection, &key).await;
                digests.insert(key, digest);
            }
        }
        Fingerprint(digests)
    }
}

impl Fingerprint {
    /// The keys that appeared, vanished or changed, each with what happened to it.
    #[must_use]
    pub fn difference(&self, later: &Self) -> Vec<String> {
        let keys: BTreeSet<&String> = self.0.keys().chain(later.0.keys()).collect();
        keys.into_iter()
            .filter_map(|key| match (self.0.get(key), later.0.get(key)) {
                (None, _) => Some(format!("{key} appeared")),
                (_, None) => Some(format!("{key} vanished")),
                (before, after) => (before != after).then(|| format!("{key} changed")),
            })
            .collect()
    }

    /// # Panics
    /// With the difference, when there is one.
    #[track_caller]
    pub fn assert_unchanged(&self, later: &Self) {
        let difference = self.difference(later);
        assert!(difference.is_empty(), "redis changed:\n{}", difference.join("\n"));
    }
}

impl Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.0).finish()
    }
}

async fn keys(connection: &mut MultiplexedConnection) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut cursor = 0_u64;
    loop {
        let (next, page): (u64, Vec<String>) = redis::cmd("SCAN")
            .arg(cursor)
            .arg("COUNT")
            .arg(1_000)
            .query_async(connection)
            .await
            .expect("SCAN");
        keys.extend(page);
        cursor = next;
        if cursor == 0 {
            return keys;
        }
    }
}

async fn digest(connection: &mut MultiplexedConnection, key: &str) -> String {
    let kind: String = redis::cmd("TYPE").arg(key).query_async(connection).await.expect("TYPE");
    let content = content(connection, &kind, key).await;
    format!("{kind} {:x}", Sha256::digest(content))
}

/// The value in an order that does not depend on Redis' encoding of it.
async fn content(connection: &mut MultiplexedConnection, kind: &str, key: &str) -> String {
    type Bytes = Vec<u8>;
    let value = read(connection, kind, key).await;
    match kind {
        "hash" => shown::<HashMap<Bytes, Bytes>, _>(value, BTreeMap::from_iter),
        "set" => shown::<Vec<Bytes>, _>(value, BTreeSet::from_iter),
        _ => format!("{value:?}"),
    }
}

async fn read(connection: &mut MultiplexedConnection, kind: &str, key: &str) -> redis::Value {
    let read = match kind {
        // Gone since the scan.
        "none" => Ok(redis::Value::Nil),
        "string" => connection.get(key).await,
        "hash" => connection.hgetall(key).await,
        "list" => connection.lrange(key, 0, -1).await,
        "set" => connection.smembers(key).await,
        "zset" => connection.zrange_withscores(key, 0, -1).await,
        "stream" => connection.xrange_all(key).await,
        other => panic!("{key} is a {other}: teach the fingerprint to read it"),
    };
    read.unwrap_or_else(|e| panic!("read {key}: {e}"))
}

fn shown<T: FromRedisValue, S: Debug>(value: redis::Value, sorted: impl FnOnce(T) -> S) -> String {
    let value = from_redis_value(value).expect("a value of the type that redis named");
    format!("{:?}", sorted(value))
}

fn matches(pattern: &str, key: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == key };
    let Some(rest) = key.strip_prefix(head) else { return false };
    (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::{AppendOnly, RedisOptions};

    async fn filled() -> (RedisServer, MultiplexedConnection) {
        let options = RedisOptions { append_only: AppendOnly::No, ..RedisOptions::default() };
        let server = RedisServer::start(options).await;
        let mut connection = server.client().await;
        run(&mut connection, "SET a:string 1").await;
        run(&mut connection, "HSET a:hash f 1 g 2").await;
        run(&mut connection, "RPUSH a:list x y").await;
        run(&mut connection, "SADD a:set x y").await;
        run(&mut connection, "ZADD a:zset 1 x 2 y").await;
        run(&mut connection, "XADD a:stream 1-0 f v").await;
        (server, connection)
    }

    async fn run(connection: &mut MultiplexedConnection, line: &str) {
        let mut words = line.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| _ = command.arg(word));
        command.exec_async(connection).await.unwrap();
    }

    #[tokio::test]
    async fn each_kind_of_change_shows() {
        let (server, mut connection) = filled().await;
        for (change, shown) in [
            ("SET a:string 2", "a:string changed"),
            ("HSET a:hash g 3", "a:hash changed"),
            ("LSET a:list 0 z", "a:list changed"),
            ("SADD a:set z", "a:set changed"),
            ("ZADD a:zset 3 y", "a:zset changed"),
            ("XADD a:stream 2-0 f v", "a:stream changed"),
            ("SET a:new 1", "a:new appeared"),
            ("DEL a:hash", "a:hash vanished"),
        ] {
            let before = server.fingerprint(&[]).await;
            run(&mut connection, change).await;
            assert_eq!(before.difference(&server.fingerprint(&[]).await), [shown]);
        }
    }

    #[tokio::test]
    async fn reading_and_excluded_keys_do_not_show() {
        let (server, mut connection) = filled().await;
        run(&mut connection, "XGROUP CREATE a:stream g 0").await;
        let before = server.fingerprint(&["a:s*ing"]).await;
        run(&mut connection, "XREADGROUP GROUP g c COUNT 1 STREAMS a:stream >").await;
        run(&mut connection, "SET a:string 2").await;
        before.assert_unchanged(&server.fingerprint(&["a:s*ing"]).await);
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("a:*:due:*", "a:{01}:due:push"));
        assert!(matches("*", ""));
        assert!(!matches("a:*:due", "a:{01}:due:push"));
        assert!(!matches("b*", "a"));
    }
}
