//! What operators ask: where deliveries stand, what was given up, and another try.

mod deliveries;
mod letters;
mod page;
mod wire;

use a2a_proto::push::push_admin_service_server::{self, PushAdminService, PushAdminServiceServer};
use a2a_proto::push::{
    Delivery, DisableConfigRequest, EnableConfigRequest, GetDeliveryRequest, ListDeadLettersRequest,
    ListDeadLettersResponse, ListDeliveriesRequest, ListDeliveriesResponse, ReplayDeadLettersRequest,
    ReplayDeadLettersResponse,
};
use a2a_store::keys::PushLane;
use a2a_store::{Fault, Store};
use tonic::{Request, Response, Status};

use letters::Wanted;

/// As reflection and health name it.
pub const SERVICE_NAME: &str = push_admin_service_server::SERVICE_NAME;

/// Why a webhook is held when the operator names no reason.
const DEFAULT_REASON: &str = "operator";
const REASON_MAX_BYTES: usize = 256;

/// Answers from the store alone, so any replica serves all.
#[derive(Clone)]
pub struct PushAdmin {
    store: Store,
}

pub fn service(store: Store) -> PushAdminServiceServer<PushAdmin> {
    PushAdminServiceServer::new(PushAdmin { store })
}

#[tonic::async_trait]
impl PushAdminService for PushAdmin {
    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        let ListDeliveriesRequest { task_id, page_size, page_token } = request.into_inner();
        let size = page::size(page_size)?;
        let (lanes, next_page_token) = match task_id.as_str() {
            "" => deliveries::of_all(&self.store, page::read(&page_token)?, size).await?,
            task => deliveries::of_task(&self.store, task, page::read(&page_token)?, size).await?,
        };
        let deliveries = deliveries::views(&self.store, lanes).await?;
        Ok(Response::new(ListDeliveriesResponse { deliveries, next_page_token }))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Result<Response<Delivery>, Status> {
        let GetDeliveryRequest { task_id, config_id } = request.into_inner();
        self.delivery(lane(task_id, config_id)?).await
    }

    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        let ListDeadLettersRequest { filter, page_size, page_token } = request.into_inner();
        let wanted = Wanted::parse(filter.unwrap_or_default())?;
        let (size, from) = (page::size(page_size)?, page::read(&page_token)?);
        let (letters, next) = wanted.page(&self.store, from, size).await?;
        let next_page_token = next.map_or(Ok(String::new()), |next| page::write(&next))?;
        let dead_letters = letters.iter().map(wire::dead_letter).collect();
        Ok(Response::new(ListDeadLettersResponse { dead_letters, next_page_token }))
    }

    async fn replay_dead_letters(
        &self,
        request: Request<ReplayDeadLettersRequest>,
    ) -> Result<Response<ReplayDeadLettersResponse>, Status> {
        let ReplayDeadLettersRequest { filter, all } = request.into_inner();
        let filter = filter.unwrap_or_default();
        if !all && filter == Default::default() {
            return Err(Status::invalid_argument(
                "an empty filter replays every dead letter: set `all` to do so",
            ));
        }
        Ok(Response::new(Wanted::parse(filter)?.replay(&self.store).await?))
    }

    async fn enable_config(
        &self,
        request: Request<EnableConfigRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let EnableConfigRequest { task_id, config_id } = request.into_inner();
        let lane = lane(task_id, config_id)?;
        found(self.store.resume_lane(&lane).await.map_err(unavailable)?)?;
        self.delivery(lane).await
    }

    async fn disable_config(
        &self,
        request: Request<DisableConfigRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let DisableConfigRequest { task_id, config_id, reason } = request.into_inner();
        if reason.len() > REASON_MAX_BYTES {
            return Err(Status::invalid_argument(format!("reason is longer than {REASON_MAX_BYTES} bytes")));
        }
        let reason = if reason.is_empty() { DEFAULT_REASON } else { &reason };
        let lane = lane(task_id, config_id)?;
        found(self.store.hold_lane(&lane, reason).await.map_err(unavailable)?)?;
        self.delivery(lane).await
    }
}

impl PushAdmin {
    async fn delivery(&self, lane: PushLane) -> Result<Response<Delivery>, Status> {
        let view = self.store.lane_view(&lane).await.map_err(unavailable)?;
        view.map(|view| Response::new(wire::delivery(view))).ok_or_else(no_webhook)
    }
}

fn lane(task: String, config: String) -> Result<PushLane, Status> {
    match (task.is_empty(), config.is_empty()) {
        (true, _) => Err(Status::invalid_argument("task_id is missing")),
        (_, true) => Err(Status::invalid_argument("config_id is missing")),
        _ => Ok(PushLane { task, config }),
    }
}

fn found(exists: bool) -> Result<(), Status> {
    if exists { Ok(()) } else { Err(no_webhook()) }
}

fn no_webhook() -> Status {
    Status::not_found("the task has no such push notification config")
}

/// The fault itself is for the log: it names addresses.
#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn unavailable(fault: Fault) -> Status {
    tracing::warn!(error = %fault.chain(), "a delivery admin call failed");
    if fault.is_transient() {
        Status::unavailable(fault.to_string())
    } else {
        Status::internal(fault.to_string())
    }
}
