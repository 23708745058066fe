//! What most tests start from: a Redis, a task service, a client and a worker.

use std::time::Duration;

use a2a_proto::{
    a2a::{
        SendMessageRequest, SendMessageResponse, StreamResponse, Task, send_message_response, stream_response,
    },
    agent::{ReceiveWorkRequest, TransitionRequest, WorkItem},
};
use a2a_tests::{
    clients::{self, A2aClient, AgentClient},
    process::{ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
};
use tonic::{Streaming, transport::Channel};

use crate::calls::cancel;

/// No step of a test takes longer unless something is wrong.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// One replica with its callers.
pub(crate) struct Stage {
    pub(crate) redis: RedisServer,
    pub(crate) service: TaskService,
    pub(crate) client: A2aClient,
    pub(crate) agent: AgentClient,
}

impl Stage {
    /// With the default settings.
    pub(crate) async fn set() -> Self {
        Self::set_with(ServiceOptions::default()).await
    }

    pub(crate) async fn set_with(options: ServiceOptions) -> Self {
        Self::set_on(RedisServer::start(RedisOptions::default()).await, options).await
    }

    pub(crate) async fn set_on(redis: RedisServer, options: ServiceOptions) -> Self {
        let service = TaskService::start(&redis, options).await;
        let client = clients::a2a(service.at.grpc).await;
        let agent = clients::agent(service.at.agent_grpc).await;
        Self { redis, service, client, agent }
    }

    /// A new task, not waited for.
    pub(crate) async fn submitted(&mut self, text: &str) -> Task {
        task(self.client.send_message(clients::send_and_return(text)).await.expect("send").into_inner())
    }

    /// A new task that an agent has started.
    pub(crate) async fn working(&mut self, text: &str) -> Task {
        let task = self.submitted(text).await;
        self.agent.start_working(transition(&task)).await.expect("start working").into_inner()
    }

    /// A task that was worked on and then brought to the terminal state of this name; as it was before that.
    pub(crate) async fn ended(&mut self, text: &str, end: &str) -> Task {
        let task = self.working(text).await;
        match end {
            "COMPLETED" => drop(self.agent.complete_task(transition(&task)).await.expect("complete")),
            "FAILED" => drop(self.agent.fail_task(transition(&task)).await.expect("fail")),
            "REJECTED" => drop(self.agent.reject_task(transition(&task)).await.expect("reject")),
            "CANCELED" => drop(self.client.cancel_task(cancel(&task.id)).await.expect("cancel")),
            other => panic!("{other} is no terminal state"),
        }
        task
    }

    /// A blocking send that runs by itself.
    pub(crate) fn send_in_background(
        &self,
        request: SendMessageRequest,
    ) -> tokio::task::JoinHandle<Result<Task, tonic::Status>> {
        let mut client = self.client.clone();
        tokio::spawn(async move {
            let answer =
                tokio::time::timeout(SOON, client.send_message(request)).await.expect("an answer in time");
            answer.map(|answer| task(answer.into_inner()))
        })
    }

    /// A worker's stream.
    pub(crate) async fn worker(&mut self, max_leases: i32) -> Streaming<WorkItem> {
        let request = ReceiveWorkRequest { max_leases, ..ReceiveWorkRequest::default() };
        self.agent.receive_work(request).await.expect("receive work").into_inner()
    }
}

/// The task of an answer.
pub(crate) fn task(answer: SendMessageResponse) -> Task {
    match answer.payload {
        Some(send_message_response::Payload::Task(task)) => task,
        other => panic!("expected a task, got {other:?}"),
    }
}

/// A move of a task, without anything else.
pub(crate) fn transition(task: &Task) -> TransitionRequest {
    TransitionRequest { id: task.id.clone(), ..TransitionRequest::default() }
}

/// The state of a task, by name.
pub(crate) fn state(task: &Task) -> &'static str {
    task.status.as_ref().expect("a status").state().as_str_name()
}

/// The next item of a stream.
pub(crate) async fn next<T>(stream: &mut Streaming<T>) -> T {
    tokio::time::timeout(SOON, stream.message())
        .await
        .expect("an item in time")
        .expect("no error")
        .expect("an item before the end")
}

/// The items of a stream up to its end.
pub(crate) async fn all<T>(mut stream: Streaming<T>) -> Vec<T> {
    let mut items = Vec::new();
    while let Some(item) =
        tokio::time::timeout(SOON, stream.message()).await.expect("in time").expect("no error")
    {
        items.push(item);
    }
    items
}

/// What an item of a stream is, in one word: the state of a task or status, or
/// the text of an artifact.
pub(crate) fn gist(item: &StreamResponse) -> String {
    use stream_response::Payload;
    match item.payload.as_ref().expect("a payload") {
        Payload::Task(task) => format!("task {}", state(task)),
        Payload::StatusUpdate(update) => {
            update.status.as_ref().expect("a status").state().as_str_name().to_owned()
        }
        Payload::ArtifactUpdate(update) => {
            let parts = &update.artifact.as_ref().expect("an artifact").parts;
            format!("artifact {}", parts.iter().map(text).collect::<String>())
        }
        Payload::Message(message) => {
            format!("message {}", message.parts.iter().map(text).collect::<String>())
        }
    }
}

/// The text of a part.
pub(crate) fn text(part: &a2a_proto::a2a::Part) -> &str {
    match &part.content {
        Some(a2a_proto::a2a::part::Content::Text(text)) => text,
        other => panic!("expected text, got {other:?}"),
    }
}

/// Another connection to the same port.
pub(crate) async fn another(service: &TaskService) -> A2aClient {
    let channel: Channel = clients::channel(service.at.grpc).await;
    A2aClient::new(channel)
}

/// The task that an item of a stream holds.
pub(crate) fn streamed_task(item: StreamResponse) -> Task {
    match item.payload {
        Some(stream_response::Payload::Task(task)) => task,
        other => panic!("expected a task, got {other:?}"),
    }
}

/// A further replica, with its callers.
pub(crate) struct Replica {
    pub(crate) service: TaskService,
    pub(crate) client: A2aClient,
    pub(crate) agent: AgentClient,
}

impl Replica {
    pub(crate) async fn start(redis: &RedisServer, options: ServiceOptions) -> Self {
        let service = TaskService::start(redis, options).await;
        let client = clients::a2a(service.at.grpc).await;
        let agent = clients::agent(service.at.agent_grpc).await;
        Self { service, client, agent }
    }
}
