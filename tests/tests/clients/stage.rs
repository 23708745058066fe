//! A task service whose agent is the worker in Python.

use std::{path::Path, time::Duration};

use a2a_proto::a2a::{GetTaskRequest, SendMessageRequest, Task, send_message_response::Payload};
use a2a_tests::{
    clients::{self, A2aClient},
    process::{Service, ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
    until,
};
use tokio::time::timeout;

use crate::python::Script;

/// No step of a test takes longer unless something is wrong.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// One replica, its agent and a client.
pub(crate) struct Stage {
    pub(crate) redis: RedisServer,
    pub(crate) service: TaskService,
    pub(crate) worker: Script,
    pub(crate) client: A2aClient,
}

impl Stage {
    pub(crate) async fn set() -> Self {
        Self::set_with("agent_worker.py", ServiceOptions::default()).await
    }

    pub(crate) async fn set_with(worker: &str, options: ServiceOptions) -> Self {
        let redis = RedisServer::start(RedisOptions::default()).await;
        let service = Service::start(&redis, options).await;
        let worker = start_worker(worker, &service).await;
        let client = clients::a2a(service.at.grpc).await;
        Self { redis, service, worker, client }
    }

    /// The address for clients.
    pub(crate) fn grpc(&self) -> String {
        self.service.at.grpc.to_string()
    }

    /// Sends, and answers the task; `request` says whether that waits.
    pub(crate) async fn send(&mut self, request: SendMessageRequest) -> Task {
        let answer = timeout(SOON, self.client.send_message(request)).await.expect("an answer in time");
        match answer.expect("send").into_inner().payload {
            Some(Payload::Task(task)) => task,
            other => panic!("expected a task, got {other:?}"),
        }
    }

    /// A new task that the worker has started, and stays at.
    pub(crate) async fn at_work(&mut self) -> Task {
        let task = self.send(clients::send_and_return("wait")).await;
        until("the worker starts", SOON, || self.is_working(task.id.clone())).await;
        task
    }

    fn is_working(&self, id: String) -> impl Future<Output = Option<()>> + use<> {
        let mut client = self.client.clone();
        async move {
            let request = GetTaskRequest { id, ..GetTaskRequest::default() };
            let task = client.get_task(request).await.expect("get").into_inner();
            (state(&task) == "TASK_STATE_WORKING").then_some(())
        }
    }
}

/// Another worker.
pub(crate) async fn start_worker(script: &str, service: &TaskService) -> Script {
    Script::start_with_stubs(script, &[&service.at.agent_grpc.to_string()]).await
}

/// A service with an agent card from a file, which is read at the start.
pub(crate) fn with_card(
    options: ServiceOptions,
    flag: &str,
    file: &Path,
    capabilities: &str,
) -> ServiceOptions {
    let card = format!(
        r#"{{"name":"n","description":"d","version":"1","capabilities":{capabilities},
        "supportedInterfaces":[{{"url":"x","protocolBinding":"GRPC","protocolVersion":"1.0"}}],
        "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
        "skills":[{{"id":"s","name":"s","description":"d","tags":["t"]}}]}}"#
    );
    std::fs::write(file, card).expect("write a card");
    options.flag(flag, file.display())
}

/// The state of a task, by name.
pub(crate) fn state(task: &Task) -> &'static str {
    task.status.as_ref().expect("a status").state().as_str_name()
}
