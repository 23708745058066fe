//! A page of another origin follows a task with EventSource, in a real browser.
//! Needs a Chromium: `make test-browser` finds or installs one.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod page;

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use a2a_proto::agent::{TransitionRequest, UpdateArtifactRequest};
use a2a_tests::{
    clients,
    process::{ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
};

use crate::page::Page;

/// A cold browser on a busy machine takes its time.
const DEADLINE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn an_event_source_of_another_origin_sees_a_task_to_its_end() {
    let mut page = Page::serve().await;
    let redis = RedisServer::start(RedisOptions::default()).await;
    let options = ServiceOptions::default().flag("cors-allow-origin", page.origin());
    let service = TaskService::start(&redis, options).await;
    let mut client = clients::a2a(service.at.grpc).await;
    let answer = client.send_message(clients::send_and_return("hello")).await.expect("send").into_inner();
    let Some(a2a_proto::a2a::send_message_response::Payload::Task(task)) = answer.payload else {
        panic!("expected a task")
    };

    let stream = format!("http://{}/tasks/{}:subscribe?A2A-Version=1.0", service.at.http, task.id);
    let _browser = Browser::open(&page.url(&stream));
    assert_eq!(page.said(DEADLINE).await, "open");

    let mut agent = clients::agent(service.at.agent_grpc).await;
    let transition = TransitionRequest { id: task.id.clone(), ..TransitionRequest::default() };
    agent.start_working(transition.clone()).await.expect("start working");
    let artifact = Some(clients::text_artifact("a", "result"));
    let put = UpdateArtifactRequest { id: task.id, artifact, ..UpdateArtifactRequest::default() };
    agent.update_artifact(put).await.expect("an artifact");
    agent.complete_task(transition).await.expect("complete");
    assert_eq!(page.said(DEADLINE).await, "1 task,2 statusUpdate,3 artifactUpdate,4 statusUpdate");
}

/// A headless browser with a profile of its own; gone when dropped.
struct Browser {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Browser {
    fn open(url: &str) -> Self {
        let path = std::env::var("A2A_TEST_CHROMIUM").expect("A2A_TEST_CHROMIUM: run make test-browser");
        let profile = tempfile::tempdir().expect("a folder");
        let child = Command::new(path)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(["--remote-debugging-port=0", url])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a browser");
        Self { child, _profile: profile }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
