//! What is kept for so long, and then removed: finished tasks with all their
//! keys, and dead letters.

use std::time::Duration;

use crate::{
    Fault, Store, TaskHead,
    keys::{PushLane, Shard},
    link::Call,
    script,
};

/// Most tasks removed from a shard in one pass.
const PASS: usize = 200;

/// What a pass over a shard removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Tasks.
    pub tasks: u64,
    /// More are waiting.
    pub more: bool,
}

impl Store {
    /// Takes the watch over a shard for `term`; answers whether nobody else has
    /// it.
    pub async fn watch_shard(&self, shard: Shard, who: &str, term: Duration) -> Result<bool, Fault> {
        let mut command = redis::cmd("SET");
        command.arg(self.keys.shard(shard).janitor()).arg(who).arg("NX").arg("PX").arg(ms(term));
        Ok(self.link.query::<Option<String>>(&command).await?.is_some())
    }

    /// Removes tasks that ended before `before_ms`. One with something still to
    /// be sent stays until it is sent or given up.
    pub async fn expire_tasks(&self, shard: Shard, before_ms: i64) -> Result<Expired, Fault> {
        let mut command = redis::cmd("ZRANGEBYSCORE");
        command.arg(self.keys.shard(shard).expiry()).arg("-inf").arg(before_ms).arg("LIMIT").arg(0).arg(PASS);
        let tasks: Vec<String> = self.link.query(&command).await?;
        let mut done = Expired::default();
        for task in &tasks {
            done.tasks += u64::from(self.expire(shard, task, before_ms).await?);
        }
        done.more = tasks.len() == PASS && done.tasks > 0;
        Ok(done)
    }

    /// Removes dead letters that were parked before `before_ms`.
    pub async fn expire_dead_letters(&self, shard: Shard, before_ms: i64) -> Result<u64, Fault> {
        let mut command = redis::cmd("XTRIM");
        command
            .arg(self.keys.shard(shard).dead())
            .arg("MINID")
            .arg("~")
            .arg(format!("{}-0", before_ms.max(0)));
        self.link.query(&command).await
    }

    async fn expire(&self, shard: Shard, task: &str, before_ms: i64) -> Result<bool, Fault> {
        let Some(head) = self.head(task).await? else {
            return self.forget_expiry(shard, task).await.map(|()| false);
        };
        let configs = self.push_ids(task).await?;
        let removed =
            self.link.run::<String>(&self.expire_call(&head, &configs, before_ms)).await? == "removed";
        if removed {
            self.release_if_counted(&head.tenant).await?;
        }
        Ok(removed)
    }

    fn expire_call(&self, head: &TaskHead, configs: &[String], before_ms: i64) -> Call {
        let keys = self.keys.task(&head.id);
        let shard = keys.shard();
        let mut call = Call::new(&script::EXPIRE)
            .key(shard.expiry())
            .key(keys.task())
            .key(shard.due_push())
            .key(shard.leases_push())
            .key(shard.tenants())
            .key(shard.tenant_index(&head.tenant))
            .key(shard.state_index(&head.tenant, head.state))
            .key(shard.context_index(&head.tenant, &head.context));
        let own = [
            keys.history(),
            keys.artifacts(),
            keys.events(),
            keys.requests(),
            keys.push(),
            keys.taken(),
            keys.work_lane(),
        ];
        for key in own.into_iter().chain(configs.iter().map(|config| keys.push_lane(config))) {
            call = call.key(key);
        }
        call = call.arg(&head.id).arg(&head.tenant).arg(before_ms);
        for config in configs {
            call = call.arg(PushLane { task: head.id.clone(), config: config.clone() }.member());
        }
        call
    }

    async fn push_ids(&self, task: &str) -> Result<Vec<String>, Fault> {
        let mut command = redis::cmd("HKEYS");
        command.arg(self.keys.task(task).push());
        self.link.query(&command).await
    }

    async fn forget_expiry(&self, shard: Shard, task: &str) -> Result<(), Fault> {
        let mut command = redis::cmd("ZREM");
        command.arg(self.keys.shard(shard).expiry()).arg(task);
        self.link.query(&command).await
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
