//! Rewriting sealed secrets after a rotation, while the services run.

use std::collections::HashMap;

use crate::{Fault, Parts, Store, link::Call, script, views::Place};

/// Tasks looked at in one step.
const STEP: usize = 100;

/// What a pass over all webhooks did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// Webhooks looked at.
    pub seen: u64,
    /// Those that were not sealed with the first key, and are now.
    pub rewritten: u64,
}

impl Store {
    /// Seals every webhook with the first key of the ring. One that changes
    /// meanwhile was sealed with it by whoever changed it.
    pub async fn reseal(&self) -> Result<Resealed, Fault> {
        let (mut done, mut place) = (Resealed::default(), Some(Place::default()));
        while let Some(at) = place {
            let part = self.all_tasks(at, STEP, Parts::NONE).await?;
            for task in &part.rows {
                self.reseal_task(&task.head.id, &mut done).await?;
            }
            place = part.next;
        }
        Ok(done)
    }

    async fn reseal_task(&self, task: &str, done: &mut Resealed) -> Result<(), Fault> {
        let key = self.keys.task(task).push();
        let mut command = redis::cmd("HGETALL");
        command.arg(&key);
        let values: HashMap<String, Vec<u8>> = self.link.query(&command).await?;
        done.seen += values.len() as u64;
        for (id, old) in values.iter().filter(|(_, value)| self.vault.is_outdated(value)) {
            let new = self.vault.close(&self.vault.open(task, id, old)?)?;
            let call = Call::new(&script::PUSH_SWAP).key(&key).arg(id).arg(old.as_slice()).arg(new);
            done.rewritten += self.link.run::<u64>(&call).await?;
        }
        Ok(())
    }
}
