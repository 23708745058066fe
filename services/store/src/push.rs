//! The webhooks of a task.

use std::collections::HashMap;

use a2a_proto::a2a::TaskPushNotificationConfig;

use crate::{Commit, Fault, NewPush, Store, TaskHead, codec::CodecError, keys::PushLane, link::Call, script};

impl Store {
    /// Registers a webhook; one of the same id is replaced and keeps its place.
    /// `snapshot_id` names the snapshot that a new one starts with.
    pub async fn put_push(
        &self,
        head: &TaskHead,
        push: &NewPush,
        snapshot_id: &str,
        trace: &str,
    ) -> Result<Commit, Fault> {
        let keys = self.keys.task(&head.id);
        let call = Call::new(&script::PUSH_PUT)
            .key(keys.task())
            .key(keys.history())
            .key(keys.artifacts())
            .key(keys.push())
            .key(keys.push_lane(&push.config.id))
            .key(keys.shard().changes())
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(&push.config.id)
            .arg(self.vault.close(&push.config)?)
            .arg(push.max_configs)
            .arg(trace)
            .arg(snapshot_id);
        self.link.run(&call).await
    }

    /// Removes a webhook and all that was still to be sent to it.
    pub async fn delete_push(&self, head: &TaskHead, config: &str, trace: &str) -> Result<Commit, Fault> {
        let keys = self.keys.task(&head.id);
        let lane = PushLane { task: head.id.clone(), config: config.to_owned() };
        let call = Call::new(&script::PUSH_DELETE)
            .key(keys.task())
            .key(keys.push())
            .key(keys.push_lane(config))
            .key(keys.shard().due_push())
            .key(keys.shard().leases_push())
            .key(keys.shard().changes())
            .arg(&head.id)
            .arg(&head.tenant)
            .arg(config)
            .arg(lane.member())
            .arg(trace);
        self.link.run(&call).await
    }

    /// One webhook of a task.
    pub async fn push(&self, task: &str, config: &str) -> Result<Option<TaskPushNotificationConfig>, Fault> {
        let mut command = redis::cmd("HGET");
        command.arg(self.keys.task(task).push()).arg(config);
        let value: Option<Vec<u8>> = self.link.query(&command).await?;
        Ok(value.map(|value| self.vault.open(task, config, &value)).transpose()?)
    }

    /// The webhooks of a task, by id.
    pub async fn pushes(&self, task: &str) -> Result<Vec<TaskPushNotificationConfig>, Fault> {
        let mut command = redis::cmd("HGETALL");
        command.arg(self.keys.task(task).push());
        let values: HashMap<String, Vec<u8>> = self.link.query(&command).await?;
        let mut configs = values
            .iter()
            .map(|(id, value)| self.vault.open(task, id, value))
            .collect::<Result<Vec<TaskPushNotificationConfig>, CodecError>>()?;
        configs.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(configs)
    }
}
