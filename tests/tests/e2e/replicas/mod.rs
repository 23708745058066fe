//! Two replicas of the task service on one Redis: whichever is asked, the
//! answer is the same.

mod lost_redis;
mod round_robin;
mod slow_reader;
mod streams;

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest, Task};
use a2a_tests::{
    clients::{self, A2aClient, AgentClient},
    process::{ServiceOptions, TaskService},
};
use tonic::Streaming;

use crate::stage::{Stage, next};

/// The second replica, with its callers.
struct Second {
    _service: TaskService,
    client: A2aClient,
    agent: AgentClient,
}

async fn set() -> (Stage, Second) {
    let stage = Stage::set().await;
    let service = TaskService::start(&stage.redis, ServiceOptions::default()).await;
    let client = clients::a2a(service.at.grpc).await;
    let agent = clients::agent(service.at.agent_grpc).await;
    (stage, Second { _service: service, client, agent })
}

/// A stream whose snapshot was read.
async fn subscribe(client: &mut A2aClient, task: &Task) -> Streaming<StreamResponse> {
    let request = SubscribeToTaskRequest { id: task.id.clone(), ..SubscribeToTaskRequest::default() };
    let mut stream = client.subscribe_to_task(request).await.expect("subscribe").into_inner();
    next(&mut stream).await;
    stream
}
