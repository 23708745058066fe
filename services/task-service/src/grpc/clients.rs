//! `lf.a2a.v1.A2AService`.

use std::pin::Pin;

use a2a_proto::a2a::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    a2a_service_server::A2aService,
};
use futures::Stream;
use tonic::{Request, Response, Status, metadata::MetadataValue};

use super::{RESUMED, REVISION, at_revision, open};
use crate::{
    call::Call,
    revisions,
    tasks::{TaskStream, Tasks},
};

type Responses = Pin<Box<dyn Stream<Item = Result<StreamResponse, Status>> + Send>>;

/// The door of clients.
pub(crate) struct ClientDoor {
    pub(crate) tasks: Tasks,
    /// The version that a call without one is taken for.
    pub(crate) missing_version: String,
}

#[tonic::async_trait]
impl A2aService for ClientDoor {
    type SendStreamingMessageStream = Responses;
    type SubscribeToTaskStream = Responses;

    async fn send_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<SendMessageResponse>, Status> {
        let (call, message) = open(&self.missing_version, request);
        let answer = self.tasks.send(&call, message).await?;
        let revision = answer.revision();
        let response = SendMessageResponse { payload: Some(answer.into()) };
        Ok(match revision {
            Some(revision) => at_revision(response, revision),
            None => Response::new(response),
        })
    }

    async fn send_streaming_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<Responses>, Status> {
        let (call, message) = open(&self.missing_version, request);
        let stream = self.tasks.send_streaming(&call, message).await?;
        Ok(responses(&call, stream))
    }

    async fn get_task(&self, request: Request<GetTaskRequest>) -> Result<Response<Task>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.get(&call, message).await?))
    }

    async fn list_tasks(
        &self,
        request: Request<ListTasksRequest>,
    ) -> Result<Response<ListTasksResponse>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.list(&call, message).await?))
    }

    async fn cancel_task(&self, request: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.cancel(&call, message).await?))
    }

    async fn subscribe_to_task(
        &self,
        request: Request<SubscribeToTaskRequest>,
    ) -> Result<Response<Responses>, Status> {
        let (call, message) = open(&self.missing_version, request);
        let stream = self.tasks.subscribe(&call, message).await?;
        Ok(responses(&call, stream))
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<TaskPushNotificationConfig>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.create_push(&call, message).await?))
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.get_push(&call, message).await?))
    }

    async fn list_task_push_notification_configs(
        &self,
        request: Request<ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<ListTaskPushNotificationConfigsResponse>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.list_pushes(&call, message).await?))
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.delete_push(&call, message).await?))
    }

    async fn get_extended_agent_card(
        &self,
        request: Request<GetExtendedAgentCardRequest>,
    ) -> Result<Response<AgentCard>, Status> {
        let (call, message) = open(&self.missing_version, request);
        Ok(Response::new(self.tasks.extended_card(&call, &message.tenant)?))
    }
}

/// A stream that says whether it resumed, and, when it ends for a reason of ours,
/// after which revision to resume it.
fn responses(call: &Call, mut items: TaskStream) -> Response<Responses> {
    let asked = call.resume_revision().ok().flatten();
    let resumed = asked.map(|_| items.is_resumed());
    let resumed_at = asked.filter(|_| items.is_resumed());
    let shows_revisions = revisions::are_wanted(call);
    let stream: Responses = Box::pin(async_stream::stream! {
        let mut seen = resumed_at;
        while let Some(item) = items.next().await {
            match item {
                Ok(item) => {
                    seen = Some(item.revision);
                    yield Ok(if shows_revisions { revisions::shown(item) } else { item.response });
                }
                Err(error) => yield Err(seen_up_to(error.into(), seen)),
            }
        }
    });
    let mut response = Response::new(stream);
    if let Some(resumed) = resumed {
        let value = if resumed { "true" } else { "false" };
        response.metadata_mut().insert(RESUMED, MetadataValue::from_static(value));
    }
    response
}

fn seen_up_to(mut status: Status, revision: Option<u64>) -> Status {
    if let Some(revision) = revision {
        status.metadata_mut().insert(REVISION, revision.into());
    }
    status
}
