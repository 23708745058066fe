//! What most tests start from: a Redis, a task service, a worker, and a driver
//! for each door.

use std::time::Duration;

use a2a_demo::{agent, conformance};
use a2a_proto::{
    a2a::{Message, SendMessageRequest, Task, TaskState, send_message_response::Payload},
    agent::TransitionRequest,
};
use a2a_runtime::shutdown::Shutdown;
use a2a_tests::{
    clients::{self, AgentClient},
    process::{ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
};
use clap::Parser as _;

use crate::{
    driver::{Door, Driver},
    raw::Raw,
};

/// No step of a test takes longer unless something is wrong.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// One replica with its callers.
pub(crate) struct Stage {
    pub(crate) service: TaskService,
    pub(crate) agent: AgentClient,
    pub(crate) raw: Raw,
    pub(crate) redis: RedisServer,
}

impl Stage {
    /// With the default settings, and an agent that the test plays.
    pub(crate) async fn set() -> Self {
        Self::set_with(ServiceOptions::default()).await
    }

    pub(crate) async fn set_with(options: ServiceOptions) -> Self {
        let redis = RedisServer::start(RedisOptions::default()).await;
        let service = TaskService::start(&redis, options).await;
        let agent = clients::agent(service.at.agent_grpc).await;
        let raw = Raw::new(service.at.http);
        Self { service, agent, raw, redis }
    }

    /// With the agent of the conformance suite.
    pub(crate) async fn with_conformance_agent() -> Self {
        Self::conformance(ServiceOptions::default()).await
    }

    pub(crate) async fn conformance(options: ServiceOptions) -> Self {
        let stage = Self::set_with(options.flag("task-creation", "agent-decides")).await;
        let addr = stage.service.at.agent_grpc.to_string();
        let settings = agent::Settings::parse_from(["agent", "--agent-addr", &addr]);
        tokio::spawn(async move {
            let shutdown = Shutdown::without_signals();
            agent::run(&settings, conformance::steps, &shutdown).await.expect("the agent");
        });
        stage
    }

    pub(crate) async fn driver(&self, door: Door) -> Driver {
        Driver::new(door, self.service.at.grpc, self.service.at.http).await
    }

    /// One for each door.
    pub(crate) async fn drivers(&self) -> Vec<Driver> {
        let mut drivers = Vec::new();
        for door in Door::ALL {
            drivers.push(self.driver(door).await);
        }
        drivers
    }

    /// A new task, not waited for.
    pub(crate) async fn submitted(&self, text: &str) -> Task {
        let driver = self.driver(Door::Grpc).await;
        task(driver.call(clients::send_and_return(text)).await.expect("send"))
    }

    /// A new task that an agent moved to a state.
    pub(crate) async fn in_state(&mut self, state: TaskState) -> Task {
        let task = self.submitted("hello").await;
        self.move_to(&task, state).await
    }

    /// The agent's move to a state.
    pub(crate) async fn move_to(&mut self, task: &Task, state: TaskState) -> Task {
        let request = TransitionRequest { id: task.id.clone(), ..TransitionRequest::default() };
        let agent = &mut self.agent;
        let moved = match state {
            TaskState::Submitted => return task.clone(),
            TaskState::Working => agent.start_working(request).await,
            TaskState::InputRequired => agent.require_input(request).await,
            TaskState::AuthRequired => agent.require_auth(request).await,
            TaskState::Completed => agent.complete_task(request).await,
            TaskState::Failed => agent.fail_task(request).await,
            TaskState::Rejected => agent.reject_task(request).await,
            other => panic!("no agent moves a task to {other:?}"),
        };
        moved.expect("the move").into_inner()
    }
}

/// A message that names a scenario of the conformance agent.
pub(crate) fn scenario(name: &str) -> SendMessageRequest {
    let message = Message { message_id: format!("{name}-0a1b2c3d"), ..clients::user_text("hello") };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

/// The same, for a task that is there.
pub(crate) fn scenario_of(task: &Task, name: &str) -> SendMessageRequest {
    let mut request = scenario(name);
    let message = request.message.get_or_insert_default();
    message.task_id.clone_from(&task.id);
    message.context_id.clone_from(&task.context_id);
    request
}

/// The task of an answer.
#[track_caller]
pub(crate) fn task(answer: a2a_proto::a2a::SendMessageResponse) -> Task {
    match answer.payload {
        Some(Payload::Task(task)) => task,
        other => panic!("expected a task, got {other:?}"),
    }
}

/// The state of a task.
#[track_caller]
pub(crate) fn state(task: &Task) -> TaskState {
    task.status.as_ref().expect("a status").state()
}
