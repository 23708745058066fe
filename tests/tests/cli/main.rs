//! The command line client of the A2A project's own Rust SDK, over both of its
//! transports. Needs it installed: `make test-cli` sees to that.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{process::Stdio, time::Duration};

use a2a_proto::agent::{ReceiveWorkRequest, TransitionRequest, UpdateArtifactRequest, WorkItem, WorkKind};
use a2a_tests::{
    clients::{self, AgentClient},
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, WebhookReceiver},
    redis::{RedisOptions, RedisServer},
};
use serde_json::Value;
use tokio::process::Command;

const SOON: Duration = Duration::from_secs(20);
const TRANSPORTS: [&str; 2] = ["jsonrpc", "rest"];

/// The services, a worker that answers, and where the card is.
struct Stage {
    card: String,
    receiver: WebhookReceiver,
    _redis: RedisServer,
    _service: TaskService,
    _dispatcher: Dispatcher,
}

impl Stage {
    async fn set() -> Self {
        let redis = RedisServer::start(RedisOptions::default()).await;
        let service = TaskService::start(&redis, ServiceOptions::default()).await;
        let dispatcher = Dispatcher::start(&redis, ServiceOptions::default()).await;
        let agent = clients::agent(service.at.agent_grpc).await;
        tokio::spawn(work(agent));
        let receiver = WebhookReceiver::start(Behaviour::Accept).await;
        let card = format!("http://{}", service.at.http);
        Self { card, receiver, _redis: redis, _service: service, _dispatcher: dispatcher }
    }

    /// The documents that the client prints, one a line or one in all.
    async fn run(&self, transport: &str, arguments: &[&str]) -> Vec<Value> {
        let path = std::env::var("A2A_TEST_A2ACLI").expect("A2A_TEST_A2ACLI: run make test-cli");
        let mut command = Command::new(path);
        command.args(["-a", &self.card, "-o", "json", "--compact", "--transport", transport]).args(arguments);
        let output = command.stdin(Stdio::null()).kill_on_drop(true).output();
        let output = tokio::time::timeout(SOON, output).await.expect("an end in time").expect("a client");
        let (said, complained) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{transport} {arguments:?}: {said}{complained}");
        serde_json::Deserializer::from_str(&said).into_iter().map(|value| value.expect("JSON")).collect()
    }

    async fn one(&self, transport: &str, arguments: &[&str]) -> Value {
        let mut documents = self.run(transport, arguments).await;
        assert_eq!(documents.len(), 1, "{transport} {arguments:?}: {documents:?}");
        documents.remove(0)
    }
}

/// Asks back when it is told to, else answers with an artifact; leaves alone
/// what is to be left alone.
async fn work(mut agent: AgentClient) {
    let mut work = agent.receive_work(ReceiveWorkRequest::default()).await.expect("work").into_inner();
    while let Ok(Some(item)) = work.message().await {
        if item.kind() != WorkKind::Cancel {
            answer(&mut agent, item).await;
        }
    }
}

async fn answer(agent: &mut AgentClient, item: WorkItem) {
    let id = item.task.expect("a task").id;
    let transition = TransitionRequest { id: id.clone(), ..TransitionRequest::default() };
    let message = item.request.and_then(|request| request.message).expect("a message");
    match text(&message.parts[0]) {
        "ask" => drop(agent.require_input(transition).await.expect("require input")),
        "wait" => {}
        said => {
            let artifact = Some(clients::text_artifact("echo", said));
            let put = UpdateArtifactRequest { id, artifact, ..UpdateArtifactRequest::default() };
            agent.update_artifact(put).await.expect("an artifact");
            agent.complete_task(transition).await.expect("complete");
        }
    }
}

fn text(part: &a2a_proto::a2a::Part) -> &str {
    match &part.content {
        Some(a2a_proto::a2a::part::Content::Text(text)) => text,
        other => panic!("expected text, got {other:?}"),
    }
}

#[tokio::test]
async fn card_send_and_follow_up() {
    let stage = Stage::set().await;
    for transport in TRANSPORTS {
        let card = stage.one(transport, &["card", "get"]).await;
        assert_eq!(card["name"], "Sample agent");
        let sent = stage.one(transport, &["send", "hello"]).await;
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{sent}");
        assert_eq!(sent["task"]["artifacts"][0]["parts"][0]["text"], "hello");
        let asked = stage.one(transport, &["send", "ask"]).await;
        assert_eq!(asked["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked}");
        let id = asked["task"]["id"].as_str().expect("an id").to_owned();
        let done = stage.one(transport, &["send", "--task-id", &id, "that one"]).await;
        assert_eq!(done["task"]["id"], id.as_str());
        assert_eq!(done["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{done}");
    }
}

#[tokio::test]
async fn stream() {
    let stage = Stage::set().await;
    for transport in TRANSPORTS {
        let items = stage.run(transport, &["send", "--stream", "hello"]).await;
        let kinds: Vec<&str> =
            items.iter().filter_map(|item| item.as_object()?.keys().next().map(String::as_str)).collect();
        assert_eq!(kinds, ["task", "artifactUpdate", "statusUpdate"], "{transport}");
    }
}

#[tokio::test]
async fn cancel_and_push_config() {
    let stage = Stage::set().await;
    for transport in TRANSPORTS {
        let sent = stage.one(transport, &["send", "--return-immediately", "--async", "wait"]).await;
        let id = sent["task"]["id"].as_str().expect("an id").to_owned();
        let url = stage.receiver.url(&format!("/{transport}"));
        let create = ["task", "push-config", "create", &id, &url, "--config-id", "c", "--token", "secret"];
        stage.one(transport, &create).await;
        let got = stage.one(transport, &["task", "push-config", "get", &id, "c"]).await;
        assert_eq!(got["url"], url.as_str(), "{got}");
        let canceled = stage.one(transport, &["task", "cancel", &id]).await;
        assert!(canceled.to_string().contains("TASK_STATE_CANCELED"), "{canceled}");
        let to_path = |recorded: &[a2a_tests::receiver::Recorded]| {
            recorded.iter().filter(|request| request.path == format!("/{transport}")).count() == 2
        };
        stage.receiver.await_until("the task and its cancel", SOON, to_path).await;
        stage.run(transport, &["task", "push-config", "delete", &id, "c"]).await;
    }
}
