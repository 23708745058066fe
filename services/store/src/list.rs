//! Pages of tasks, newest status first, over all shards.

use a2a_lifecycle::State;
use futures::future::try_join_all;

use crate::{
    Fault, Store, TaskView,
    keys::{Shard, ShardKeys, member_floor, task_of_member},
    link::Call,
    read::Parts,
    script,
};

/// Which tasks are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Tasks made with this tenant; empty for those made without one.
    pub tenant: String,
    /// Tasks of this context.
    pub context: Option<String>,
    /// Tasks in this state.
    pub state: Option<State>,
    /// Tasks whose status changed at this time or later, ms since the epoch.
    pub status_from_ms: Option<i64>,
}

/// A place between two tasks: the next page starts behind it. Tasks that change
/// meanwhile move to the front and are not seen again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position(String);

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Newest status first.
    pub tasks: Vec<TaskView>,
    /// Where the next page starts, if there is one.
    pub next: Option<Position>,
    /// How many tasks match, whatever the page.
    pub total: u64,
}

impl Position {
    /// The place that `text` names.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (at, rest) = text.split_once(':')?;
        let is_time = at.len() == 12 && at.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_time && rest.contains(':')).then(|| Self(text.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Store {
    /// The page of at most `size` tasks behind `after`.
    pub async fn list(
        &self,
        filter: &Filter,
        after: Option<&Position>,
        size: usize,
        parts: Parts,
    ) -> Result<Page, Fault> {
        let found = self.members(filter, after, size + 1).await?;
        self.page(found, size, parts).await
    }

    /// The same of one shard.
    pub(crate) async fn list_shard(
        &self,
        shard: Shard,
        filter: &Filter,
        after: Option<&Position>,
        size: usize,
        parts: Parts,
    ) -> Result<Page, Fault> {
        let found = self.shard_members(shard, filter, after, size + 1).await?;
        self.page(found, size, parts).await
    }

    async fn page(
        &self,
        (mut members, total): (Vec<String>, u64),
        size: usize,
        parts: Parts,
    ) -> Result<Page, Fault> {
        members.sort_unstable_by(|a, b| b.cmp(a));
        let more = members.len() > size;
        members.truncate(size);
        let next = members.last().filter(|_| more).map(|member| Position(member.clone()));
        let ids = members.iter().filter_map(|member| task_of_member(member));
        let tasks = try_join_all(ids.map(|id| self.read(id, parts))).await?;
        Ok(Page { tasks: tasks.into_iter().flatten().collect(), next, total })
    }

    async fn members(
        &self,
        filter: &Filter,
        after: Option<&Position>,
        most: usize,
    ) -> Result<(Vec<String>, u64), Fault> {
        let shards = self.keys.shards().map(|shard| self.shard_members(shard, filter, after, most));
        let mut all = (Vec::new(), 0);
        for (members, total) in try_join_all(shards).await? {
            all.0.extend(members);
            all.1 += total;
        }
        Ok(all)
    }

    async fn shard_members(
        &self,
        shard: Shard,
        filter: &Filter,
        after: Option<&Position>,
        most: usize,
    ) -> Result<(Vec<String>, u64), Fault> {
        let (index, state) = index(&self.keys.shard(shard), filter);
        let call = Call::new(&script::LIST)
            .key(index)
            .arg(after.map_or_else(|| "+".to_owned(), |position| format!("({}", position.as_str())))
            .arg(filter.status_from_ms.map_or_else(|| "-".to_owned(), member_floor))
            .arg(most)
            .arg(state.map_or_else(String::new, |state| state.number().to_string()));
        let reply: Vec<String> = self.link.run(&call).await?;
        let total = reply.first().and_then(|total| total.parse().ok()).unwrap_or(0);
        Ok((reply.into_iter().skip(1).collect(), total))
    }
}

/// The index that answers the filter, and the state that it cannot tell.
fn index(keys: &ShardKeys, filter: &Filter) -> (String, Option<State>) {
    match (&filter.context, filter.state) {
        (Some(context), state) => (keys.context_index(&filter.tenant, context), state),
        (None, Some(state)) => (keys.state_index(&filter.tenant, state), None),
        (None, None) => (keys.tenant_index(&filter.tenant), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::member;

    #[test]
    fn only_members_are_positions() {
        let text = member(1_700_000_000_000, "0b0e7a6e-0000-4000-8000-000000000000", State::Working);
        assert_eq!(Position::from_text(&text).map(|p| p.0), Some(text));
        for text in ["", "x", "000000000000", "zzzzzzzzzzzz:a:1", "000000000000:a"] {
            assert_eq!(Position::from_text(text), None, "{text}");
        }
    }
}
