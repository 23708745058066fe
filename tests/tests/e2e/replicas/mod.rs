//! Two replicas of the task service on one Redis: whichever is asked, the
//! answer is the same.

mod lost_redis;
mod round_robin;
mod slow_reader;
mod streams;

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest, Task};
use a2a_tests::{clients::A2aClient, process::ServiceOptions};
use tonic::Streaming;

use crate::stage::{Replica, Stage, next};

async fn set() -> (Stage, Replica) {
    let stage = Stage::set().await;
    let second = Replica::start(&stage.redis, ServiceOptions::default()).await;
    (stage, second)
}

/// A stream whose snapshot was read.
async fn subscribe(client: &mut A2aClient, task: &Task) -> Streaming<StreamResponse> {
    let request = SubscribeToTaskRequest { id: task.id.clone(), ..SubscribeToTaskRequest::default() };
    let mut stream = client.subscribe_to_task(request).await.expect("subscribe").into_inner();
    next(&mut stream).await;
    stream
}
