//! `a2a.agent.v1.AgentService`.

use std::pin::Pin;

use a2a_lifecycle::{Move, transition::StatusCommand};
use a2a_proto::{
    a2a::Task,
    agent::{
        ExtendLeaseRequest, Lease, ListAllPushNotificationConfigsRequest,
        ListAllPushNotificationConfigsResponse, ListAllTasksRequest, ListAllTasksResponse,
        ReceiveWorkRequest, ReleaseWorkRequest, ReleaseWorkResponse, ReplyWithMessageRequest,
        ReplyWithMessageResponse, TransitionRequest, UpdateArtifactRequest, UpdateArtifactResponse,
        UpdateArtifactsResponse, WorkItem, agent_service_server::AgentService,
    },
};
use futures::{Stream, StreamExt as _};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::{at_revision, open};
use crate::agent::Agents;

type WorkItems = Pin<Box<dyn Stream<Item = Result<WorkItem, Status>> + Send>>;

/// The agent API has no versions of A2A.
const AGENT_API_VERSION: &str = "1.0";

/// The door of agent workers.
pub(crate) struct AgentDoor {
    pub(crate) agents: Agents,
}

#[tonic::async_trait]
impl AgentService for AgentDoor {
    type ReceiveWorkStream = WorkItems;

    async fn start_working(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::StartWorking, request).await
    }

    async fn require_input(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::RequireInput, request).await
    }

    async fn require_auth(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::RequireAuth, request).await
    }

    async fn complete_task(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::Complete, request).await
    }

    async fn fail_task(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::Fail, request).await
    }

    async fn reject_task(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        self.transition(Move::Reject, request).await
    }

    async fn report_progress(&self, request: Request<TransitionRequest>) -> Result<Response<Task>, Status> {
        let cancelable = request.get_ref().cancelable;
        self.set_status(StatusCommand::Progress { cancelable }, request).await
    }

    async fn update_artifact(
        &self,
        request: Request<UpdateArtifactRequest>,
    ) -> Result<Response<UpdateArtifactResponse>, Status> {
        let (call, message) = open(AGENT_API_VERSION, request);
        let revision = self.agents.update_artifact(&call, message).await?;
        Ok(Response::new(UpdateArtifactResponse { revision: wire(revision) }))
    }

    async fn update_artifacts(
        &self,
        request: Request<Streaming<UpdateArtifactRequest>>,
    ) -> Result<Response<UpdateArtifactsResponse>, Status> {
        let (call, mut chunks) = open(AGENT_API_VERSION, request);
        let mut done = UpdateArtifactsResponse::default();
        while let Some(chunk) = chunks.message().await? {
            done.revision = wire(self.agents.update_artifact(&call, chunk).await?);
            done.accepted += 1;
        }
        Ok(Response::new(done))
    }

    async fn reply_with_message(
        &self,
        request: Request<ReplyWithMessageRequest>,
    ) -> Result<Response<ReplyWithMessageResponse>, Status> {
        let (call, message) = open(AGENT_API_VERSION, request);
        self.agents.reply_with_message(&call, message).await?;
        Ok(Response::new(ReplyWithMessageResponse {}))
    }

    async fn receive_work(
        &self,
        request: Request<ReceiveWorkRequest>,
    ) -> Result<Response<WorkItems>, Status> {
        let (_, message) = open(AGENT_API_VERSION, request);
        let items = ReceiverStream::new(self.agents.receive_work(message).await?);
        Ok(Response::new(Box::pin(items.map(|item| item.map_err(Status::from)))))
    }

    async fn extend_lease(&self, request: Request<ExtendLeaseRequest>) -> Result<Response<Lease>, Status> {
        Ok(Response::new(self.agents.extend_lease(request.get_ref()).await?))
    }

    async fn release_work(
        &self,
        request: Request<ReleaseWorkRequest>,
    ) -> Result<Response<ReleaseWorkResponse>, Status> {
        self.agents.release_work(request.get_ref()).await?;
        Ok(Response::new(ReleaseWorkResponse {}))
    }

    async fn list_all_tasks(
        &self,
        request: Request<ListAllTasksRequest>,
    ) -> Result<Response<ListAllTasksResponse>, Status> {
        Ok(Response::new(self.agents.list_all_tasks(request.get_ref()).await?))
    }

    async fn list_all_push_notification_configs(
        &self,
        request: Request<ListAllPushNotificationConfigsRequest>,
    ) -> Result<Response<ListAllPushNotificationConfigsResponse>, Status> {
        Ok(Response::new(self.agents.list_all_pushes(request.get_ref()).await?))
    }
}

impl AgentDoor {
    async fn transition(
        &self,
        step: Move,
        request: Request<TransitionRequest>,
    ) -> Result<Response<Task>, Status> {
        let cancelable = request.get_ref().cancelable;
        self.set_status(StatusCommand::Transition { step, cancelable }, request).await
    }

    async fn set_status(
        &self,
        command: StatusCommand,
        request: Request<TransitionRequest>,
    ) -> Result<Response<Task>, Status> {
        let (call, message) = open(AGENT_API_VERSION, request);
        let (task, revision) = self.agents.set_status(&call, command, message).await?;
        Ok(at_revision(task, revision))
    }
}

fn wire(revision: u64) -> i64 {
    i64::try_from(revision).unwrap_or(i64::MAX)
}
