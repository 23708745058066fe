//! `lf.a2a.v1.A2AService`.

use std::pin::Pin;

use a2a_proto::a2a::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    a2a_service_server::A2aService, send_message_response::Payload,
};
use futures::Stream;
use tonic::{Request, Response, Status};

use super::{at_revision, open};
use crate::tasks::{TaskStream, Tasks};

type Responses = Pin<Box<dyn Stream<Item = Result<StreamResponse, Status>> + Send>>;

/// The door of clients.
pub(crate) struct ClientDoor {
    pub(crate) tasks: Tasks,
}

#[tonic::async_trait]
impl A2aService for ClientDoor {
    type SendStreamingMessageStream = Responses;
    type SubscribeToTaskStream = Responses;

    async fn send_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<SendMessageResponse>, Status> {
        let (call, message) = open(request);
        let answer = self.tasks.send(&call, message).await?;
        Ok(at_revision(SendMessageResponse { payload: Some(Payload::Task(answer.task)) }, answer.revision))
    }

    async fn send_streaming_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<Responses>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(responses(self.tasks.send_streaming(&call, message).await?)))
    }

    async fn get_task(&self, request: Request<GetTaskRequest>) -> Result<Response<Task>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.get(&call, message).await?))
    }

    async fn list_tasks(
        &self,
        request: Request<ListTasksRequest>,
    ) -> Result<Response<ListTasksResponse>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.list(&call, message).await?))
    }

    async fn cancel_task(&self, request: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.cancel(&call, message).await?))
    }

    async fn subscribe_to_task(
        &self,
        request: Request<SubscribeToTaskRequest>,
    ) -> Result<Response<Responses>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(responses(self.tasks.subscribe(&call, message).await?)))
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<TaskPushNotificationConfig>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.create_push(&call, message).await?))
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.get_push(&call, message).await?))
    }

    async fn list_task_push_notification_configs(
        &self,
        request: Request<ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<ListTaskPushNotificationConfigsResponse>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.list_pushes(&call, message).await?))
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        let (call, message) = open(request);
        Ok(Response::new(self.tasks.delete_push(&call, message).await?))
    }

    async fn get_extended_agent_card(
        &self,
        request: Request<GetExtendedAgentCardRequest>,
    ) -> Result<Response<AgentCard>, Status> {
        let (call, _) = open(request);
        Ok(Response::new(self.tasks.extended_card(&call)?))
    }
}

fn responses(mut items: TaskStream) -> Responses {
    Box::pin(async_stream::try_stream! {
        while let Some(item) = items.next().await {
            yield item?.response;
        }
    })
}
