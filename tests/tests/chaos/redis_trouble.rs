//! Redis in trouble of every kind: no process ends, none floods its log, and all
//! goes on by itself.

mod stage;

use std::time::{Duration, Instant};

use a2a_tests::redis::{AppendOnly, RedisServer};
use tokio::time::interval;

use self::stage::Stage;
use crate::size::sized;

const KILL_EVERY: Duration = Duration::from_secs(2);

#[tokio::test]
async fn scripts_are_forgotten() {
    let mut stage = Stage::set("scripts flushed", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    command(&stage.redis, &["SCRIPT", "FLUSH"]).await;
    began.end(&mut stage).await;
}

#[tokio::test]
async fn connections_are_killed() {
    let mut stage = Stage::set("connections killed", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    let mut ticks = interval(KILL_EVERY);
    for _ in 0..=sized(3, 10) {
        ticks.tick().await;
        command(&stage.redis, &["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    }
    began.end(&mut stage).await;
}

#[tokio::test]
async fn the_consumer_group_is_destroyed() {
    let mut stage = Stage::set("groups destroyed", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    for stream in keys(&stage.redis, "a2a:*:changes").await {
        command(&stage.redis, &["XGROUP", "DESTROY", &stream, "dispatcher"]).await;
    }
    began.end(&mut stage).await;
}

#[tokio::test]
async fn the_change_streams_are_deleted() {
    let mut stage = Stage::set("change streams deleted", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    for stream in keys(&stage.redis, "a2a:*:changes").await {
        command(&stage.redis, &["DEL", &stream]).await;
    }
    began.end(&mut stage).await;
}

#[tokio::test]
async fn redis_is_stopped() {
    let mut stage = Stage::set("redis stopped", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    stage.redis.pause();
    lasting(Duration::from_secs(sized(3, 10))).await;
    stage.redis.resume();
    began.end(&mut stage).await;
}

#[tokio::test]
async fn redis_is_out_of_memory() {
    let mut stage = Stage::set("redis out of memory", AppendOnly::EverySec).await;
    let began = Trouble::begin(&stage);
    command(&stage.redis, &["CONFIG", "SET", "maxmemory", "1mb"]).await;
    stage.refused().await;
    lasting(Duration::from_secs(sized(3, 10))).await;
    command(&stage.redis, &["CONFIG", "SET", "maxmemory", "0"]).await;
    began.end(&mut stage).await;
}

#[tokio::test]
async fn redis_comes_back_empty() {
    let mut stage = Stage::set("redis emptied", AppendOnly::No).await;
    let began = Trouble::begin(&stage);
    stage.redis.restart().await;
    began.end(&mut stage).await;
}

/// The time of trouble, and what was said before it.
struct Trouble {
    since: Instant,
    complaints: [usize; 2],
}

impl Trouble {
    #[allow(clippy::disallowed_methods, reason = "the moment from which complaints are counted")]
    fn begin(stage: &Stage) -> Self {
        Self { since: Instant::now(), complaints: stage.complaints() }
    }

    /// It is over; now everything must work again, and little have been said.
    async fn end(self, stage: &mut Stage) {
        let lasted = self.since.elapsed();
        let recovery = stage.recover().await;
        let seconds = usize::try_from((lasted + recovery).as_secs()).expect("few");
        let now = stage.complaints();
        let said = [now[0] - self.complaints[0], now[1] - self.complaints[1]];
        let name = stage.name;
        assert!(
            said.iter().all(|lines| *lines <= seconds + stage::LINES_AT_ONCE),
            "{name}: {said:?} lines in {seconds} s"
        );
        println!(
            "redis_trouble: {name} for {lasted:.1?}, recovered in {recovery:.1?}, {said:?} lines of log, {} events after it",
            stage.check().await
        );
    }
}

/// Trouble takes time.
async fn lasting(time: Duration) {
    let mut ticks = interval(time);
    ticks.tick().await;
    ticks.tick().await;
}

async fn command(redis: &RedisServer, words: &[&str]) {
    let mut command = redis::cmd(words[0]);
    words[1..].iter().for_each(|word| _ = command.arg(word));
    command.exec_async(&mut redis.client().await).await.expect("a command");
}

async fn keys(redis: &RedisServer, pattern: &str) -> Vec<String> {
    redis::cmd("KEYS").arg(pattern).query_async(&mut redis.client().await).await.expect("KEYS")
}
