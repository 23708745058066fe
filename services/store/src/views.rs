//! Everything there is, for agents and operators: every task and every webhook
//! of every tenant, in no particular order, a page at a time.

use a2a_proto::a2a::TaskPushNotificationConfig;

use crate::{Fault, Filter, Parts, Position, Store, TaskView};

/// Where a view goes on: a shard, a tenant in it, and a task of that tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The shard's number.
    pub shard: usize,
    /// The last tenant visited; none before the first.
    pub tenant: Option<String>,
    /// The last task visited; none before the tenant's first.
    pub after: Option<Position>,
}

/// Some of everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the rest is, if there is any.
    pub next: Option<Place>,
}

impl Store {
    /// Up to `size` tasks from `place` on.
    pub async fn all_tasks(&self, place: Place, size: usize, parts: Parts) -> Result<Part<TaskView>, Fault> {
        let (mut rows, mut place) = (Vec::new(), Some(place));
        while let Some(at) = place {
            if rows.len() >= size {
                return Ok(Part { rows, next: Some(at) });
            }
            let (found, next) = self.visit(at, size - rows.len(), parts).await?;
            rows.extend(found);
            place = next;
        }
        Ok(Part { rows, next: None })
    }

    /// The webhooks of up to `size` tasks from `place` on; a task's webhooks
    /// stay together.
    pub async fn all_pushes(
        &self,
        place: Place,
        size: usize,
    ) -> Result<Part<TaskPushNotificationConfig>, Fault> {
        let tasks = self.all_tasks(place, size, Parts::NONE).await?;
        let mut rows = Vec::new();
        for task in &tasks.rows {
            rows.extend(self.pushes(&task.head.id).await?);
        }
        Ok(Part { rows, next: tasks.next })
    }

    /// Some tasks at `at`, and where to go from there.
    async fn visit(
        &self,
        at: Place,
        most: usize,
        parts: Parts,
    ) -> Result<(Vec<TaskView>, Option<Place>), Fault> {
        let Some(shard) = self.keys.shards().nth(at.shard) else { return Ok((Vec::new(), None)) };
        let Some(tenant) = at.tenant else {
            return Ok((Vec::new(), Some(self.next_tenant(at.shard, None).await?)));
        };
        let filter = Filter { tenant: tenant.clone(), ..Filter::default() };
        let page = self.list_shard(shard, &filter, at.after.as_ref(), most, parts).await?;
        let next = match page.next {
            Some(position) => Place { shard: at.shard, tenant: Some(tenant), after: Some(position) },
            None => self.next_tenant(at.shard, Some(&tenant)).await?,
        };
        Ok((page.tasks, Some(next)))
    }

    /// The place of the first tenant behind `last` in a shard, or the next shard.
    async fn next_tenant(&self, shard: usize, last: Option<&str>) -> Result<Place, Fault> {
        let Some(found) = self.keys.shards().nth(shard) else {
            return Ok(Place { shard, ..Place::default() });
        };
        let mut tenants = self.tenants(found).await?;
        tenants.sort_unstable();
        let next = tenants.into_iter().find(|tenant| last.is_none_or(|last| tenant.as_str() > last));
        Ok(match next {
            Some(tenant) => Place { shard, tenant: Some(tenant), after: None },
            None => Place { shard: shard + 1, ..Place::default() },
        })
    }
}
