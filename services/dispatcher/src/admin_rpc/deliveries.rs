//! Pages of deliveries.

use a2a_proto::a2a::TaskPushNotificationConfig;
use a2a_proto::push;
use a2a_store::keys::PushLane;
use a2a_store::views::Place;
use a2a_store::{Position, Store};
use futures::future::try_join_all;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{page, unavailable, wire};

/// Where a page of all deliveries starts: at a task, some of whose webhooks may have been shown.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Start {
    shard: usize,
    tenant: Option<String>,
    after: Option<String>,
    shown: usize,
}

/// The last config shown of a task.
pub(super) type After = String;

pub(super) async fn of_task(
    store: &Store,
    task: &str,
    after: Option<After>,
    size: usize,
) -> Result<(Vec<PushLane>, String), Status> {
    let configs = store.pushes(task).await.map_err(unavailable)?;
    let unseen = configs.into_iter().filter(|config| after.as_ref().is_none_or(|after| config.id > *after));
    let mut lanes: Vec<PushLane> =
        unseen.map(|config| PushLane { task: task.to_owned(), config: config.id }).collect();
    let more = lanes.len() > size;
    lanes.truncate(size);
    let next = match lanes.last() {
        Some(last) if more => page::write(&last.config)?,
        _ => String::new(),
    };
    Ok((lanes, next))
}

/// A page may be short, or empty, before the last one: most tasks have no webhook.
pub(super) async fn of_all(
    store: &Store,
    start: Option<Start>,
    size: usize,
) -> Result<(Vec<PushLane>, String), Status> {
    let start = start.unwrap_or_default();
    let part = store.all_pushes(start.place()?, size).await.map_err(unavailable)?;
    let total = part.rows.len();
    let lanes: Vec<_> = part.rows.into_iter().skip(start.shown).take(size).map(lane).collect();
    let shown = start.shown + lanes.len();
    let next = if shown < total {
        page::write(&Start { shown, ..start })?
    } else {
        part.next.map_or(Ok(String::new()), |next| page::write(&Start::at(next)))?
    };
    Ok((lanes, next))
}

/// A webhook that was deleted meanwhile is left out.
pub(super) async fn views(store: &Store, lanes: Vec<PushLane>) -> Result<Vec<push::Delivery>, Status> {
    let views = try_join_all(lanes.iter().map(|lane| store.lane_view(lane))).await.map_err(unavailable)?;
    Ok(views.into_iter().flatten().map(wire::delivery).collect())
}

impl Start {
    fn at(place: Place) -> Self {
        let Place { shard, tenant, after } = place;
        Self { shard, tenant, after: after.map(|after| after.as_str().to_owned()), shown: 0 }
    }

    fn place(&self) -> Result<Place, Status> {
        let position = |text: &String| {
            Position::from_text(text).ok_or_else(|| Status::invalid_argument("page_token is malformed"))
        };
        let after = self.after.as_ref().map(position).transpose()?;
        Ok(Place { shard: self.shard, tenant: self.tenant.clone(), after })
    }
}

fn lane(config: TaskPushNotificationConfig) -> PushLane {
    PushLane { task: config.task_id, config: config.id }
}
