//! Calls that are made later: asked of a table, awaited one by one.

use a2a_proto::{
    a2a::{
        CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
        GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
        ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
    },
    agent::{
        ExtendLeaseRequest, ListAllPushNotificationConfigsRequest, ListAllTasksRequest, ReceiveWorkRequest,
        ReleaseWorkRequest, TransitionRequest, UpdateArtifactRequest,
    },
};
use a2a_tests::clients::{A2aClient, AgentClient};
use futures::{FutureExt as _, future::BoxFuture};
use tonic::{IntoRequest, Request, Status};

use crate::moves::Move;

/// The outcome of a call; it is made when awaited.
pub(super) type Asked = BoxFuture<'static, Result<(), Status>>;

pub(super) struct Callers {
    pub(super) client: A2aClient,
    pub(super) agent: AgentClient,
}

macro_rules! asks {
    ($($name:ident: $door:ident.$rpc:ident($request:ty);)*) => {
        impl Callers {$(
            pub(super) fn $name(&self, request: impl IntoRequest<$request>) -> Asked {
                let (mut door, request) = (self.$door.clone(), request.into_request());
                async move { door.$rpc(request).await.map(|_| ()) }.boxed()
            }
        )*}
    };
}

asks! {
    send: client.send_message(SendMessageRequest);
    stream: client.send_streaming_message(SendMessageRequest);
    get: client.get_task(GetTaskRequest);
    list: client.list_tasks(ListTasksRequest);
    cancel: client.cancel_task(CancelTaskRequest);
    subscribe: client.subscribe_to_task(SubscribeToTaskRequest);
    create_push: client.create_task_push_notification_config(TaskPushNotificationConfig);
    get_push: client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest);
    list_pushes: client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest);
    delete_push: client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest);
    card: client.get_extended_agent_card(GetExtendedAgentCardRequest);
    artifact: agent.update_artifact(UpdateArtifactRequest);
    receive: agent.receive_work(ReceiveWorkRequest);
    extend: agent.extend_lease(ExtendLeaseRequest);
    release: agent.release_work(ReleaseWorkRequest);
    all_tasks: agent.list_all_tasks(ListAllTasksRequest);
    all_pushes: agent.list_all_push_notification_configs(ListAllPushNotificationConfigsRequest);
}

impl Callers {
    pub(super) fn step(&self, step: Move, request: TransitionRequest) -> Asked {
        let mut agent = self.agent.clone();
        async move { step.ask(&mut agent, request).await.map(|_| ()) }.boxed()
    }

    pub(super) fn artifacts(&self, chunks: Vec<UpdateArtifactRequest>) -> Asked {
        let mut agent = self.agent.clone();
        async move { agent.update_artifacts(futures::stream::iter(chunks)).await.map(|_| ()) }.boxed()
    }
}

/// A request with one header.
pub(super) fn with_header<T>(request: T, name: &'static str, value: &'static str) -> Request<T> {
    let mut request = Request::new(request);
    request.metadata_mut().insert(name, value.parse().expect("ASCII"));
    request
}
