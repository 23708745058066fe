//! Dead letters: pages of them, and another try.

use a2a_proto::push::{DeadLetterFilter, ReplayDeadLettersResponse};
use a2a_runtime::clock;
use a2a_store::Store;
use a2a_store::delivery_admin::{DeadLetter, DeadLetterId, Replay};
use tonic::Status;

use super::{unavailable, wire};

/// Most ids that a filter may name, or an answer does.
const IDS_MOST: usize = 1_000;
/// Most dead letters looked at for one page: with a filter that few match, pages get short.
const LOOKED_AT_MOST: usize = 1_000;
const REPLAY_PAGE: usize = 100;

/// Which dead letters are meant.
pub(super) struct Wanted {
    task: String,
    config: String,
    from_ms: u64,
    until_ms: Option<u64>,
    /// In order; empty for any.
    ids: Vec<DeadLetterId>,
}

/// Where a page starts, as its token has it.
pub(super) type From = String;

impl Wanted {
    pub(super) fn parse(filter: DeadLetterFilter) -> Result<Self, Status> {
        let DeadLetterFilter { task_id, config_id, parked_from, parked_until, ids } = filter;
        if ids.len() > IDS_MOST {
            return Err(Status::invalid_argument(format!("more than {IDS_MOST} ids")));
        }
        let mut ids = ids.iter().map(|id| named(id)).collect::<Result<Vec<_>, _>>()?;
        ids.sort_unstable();
        ids.dedup();
        let until_ms = parked_until.as_ref().map(wire::ms);
        let from_ms = parked_from.as_ref().map_or(0, wire::ms);
        Ok(Self { task: task_id, config: config_id, from_ms, until_ms, ids })
    }

    /// A page of at most `size`, and where the next one starts.
    pub(super) async fn page(
        &self,
        store: &Store,
        from: Option<From>,
        size: usize,
    ) -> Result<(Vec<DeadLetter>, Option<From>), Status> {
        let from = from.map(|from| named(&from)).transpose()?.or_else(|| self.first(store));
        let (rows, next) = self.collect(store, from, size).await?;
        Ok((rows, next.map(|next| next.to_string())))
    }

    /// Sends again all that were given up until now; what is given up meanwhile is not sent in a circle.
    pub(super) async fn replay(mut self, store: &Store) -> Result<ReplayDeadLettersResponse, Status> {
        let now_ms = u64::try_from(clock::unix_ms()).unwrap_or(0).saturating_add(1);
        self.until_ms = Some(self.until_ms.map_or(now_ms, |until_ms| until_ms.min(now_ms)));
        let (mut answer, mut at) = (ReplayDeadLettersResponse::default(), self.first(store));
        while at.is_some() {
            let (letters, next) = self.collect(store, at, REPLAY_PAGE).await?;
            for letter in &letters {
                let replay = store.replay(letter).await.map_err(unavailable)?;
                note(&mut answer, letter, replay);
            }
            at = next;
        }
        Ok(answer)
    }

    async fn collect(
        &self,
        store: &Store,
        mut at: Option<DeadLetterId>,
        size: usize,
    ) -> Result<(Vec<DeadLetter>, Option<DeadLetterId>), Status> {
        let (mut rows, mut looked_at) = (Vec::new(), 0);
        while let Some(from) = at {
            if rows.len() >= size || looked_at >= LOOKED_AT_MOST {
                return Ok((rows, Some(from)));
            }
            let most = if self.ids.is_empty() { size - rows.len() } else { 1 };
            let found = store.dead_letters(from, self.until_ms, most).await.map_err(unavailable)?;
            looked_at += found.len().max(1);
            at = self.after(store, from, found.last().map(|letter| letter.id));
            rows.extend(found.into_iter().filter(|letter| self.matches(letter, from)));
        }
        Ok((rows, None))
    }

    /// Where the search begins.
    fn first(&self, store: &Store) -> Option<DeadLetterId> {
        if !self.ids.is_empty() {
            return self.ids.first().copied();
        }
        let shard = if self.task.is_empty() { 0 } else { store.keyspace().shard_of(&self.task).index() };
        Some(DeadLetterId::floor(shard, self.from_ms))
    }

    /// Where the search goes on: `last` is the last found from `from` on.
    fn after(&self, store: &Store, from: DeadLetterId, last: Option<DeadLetterId>) -> Option<DeadLetterId> {
        if !self.ids.is_empty() {
            return self.ids.iter().find(|id| **id > from).copied();
        }
        match last {
            Some(last) => Some(last.successor()),
            None if self.task.is_empty()
                && from.shard() + 1 < usize::from(store.keyspace().shard_count()) =>
            {
                Some(DeadLetterId::floor(from.shard() + 1, self.from_ms))
            }
            None => None,
        }
    }

    /// Looking for an id finds the one behind it where it is gone.
    fn matches(&self, letter: &DeadLetter, from: DeadLetterId) -> bool {
        let is = |wanted: &str, held: &str| wanted.is_empty() || wanted == held;
        is(&self.task, &letter.lane.task)
            && is(&self.config, &letter.lane.config)
            && letter.id.at_ms() >= self.from_ms
            && (self.ids.is_empty() || letter.id == from)
    }
}

fn note(answer: &mut ReplayDeadLettersResponse, letter: &DeadLetter, replay: Replay) {
    match replay {
        Replay::Queued => answer.replayed += 1,
        Replay::ConfigDeleted if answer.config_deleted.len() < IDS_MOST => {
            answer.config_deleted.push(letter.id.to_string());
        }
        Replay::ConfigDeleted | Replay::Gone => {}
    }
}

fn named(text: &str) -> Result<DeadLetterId, Status> {
    DeadLetterId::from_text(text)
        .ok_or_else(|| Status::invalid_argument(format!("{text:?} names no dead letter")))
}
