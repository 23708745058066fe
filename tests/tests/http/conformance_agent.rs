//! The agent of the conformance suite, a row of its table a case.

use a2a_proto::a2a::{
    Part, SendMessageResponse, Task, TaskState, part::Content, send_message_response::Payload,
};
use serde_json::json;

use crate::{
    driver::{Ask, Door, all, to_value},
    events::gist,
    stage::{Stage, scenario, scenario_of, state, task},
};

#[tokio::test]
async fn complete_task() {
    let stage = Stage::with_conformance_agent().await;
    let done = sent(&stage, "tck-complete-task").await;
    assert_eq!((state(&done), said(&done)), (TaskState::Completed, "Hello from TCK".to_owned()));
    assert!(done.artifacts.is_empty());
}

#[tokio::test]
async fn artifacts_of_each_kind() {
    let stage = Stage::with_conformance_agent().await;
    let file = json!({"filename": "output.txt", "mediaType": "text/plain"});
    let with = |name: &str, value: &str| {
        let mut part = file.clone();
        part[name] = value.into();
        part
    };
    for (name, part) in [
        ("tck-artifact-text", json!({"text": "Generated text content", "mediaType": "text/plain"})),
        ("tck-artifact-file", with("raw", "dGNr")),
        ("tck-artifact-file-url", with("url", "https://example.com/output.txt")),
        ("tck-artifact-data", json!({"data": {"key": "value", "count": 42}})),
    ] {
        let done = sent(&stage, name).await;
        assert_eq!((state(&done), done.artifacts.len()), (TaskState::Completed, 1), "{name}");
        assert!(!done.artifacts[0].artifact_id.is_empty());
        assert_eq!(to_value(&done.artifacts[0].parts[0]), part, "{name}");
    }
}

#[tokio::test]
async fn message_response() {
    let stage = Stage::with_conformance_agent().await;
    for driver in stage.drivers().await {
        let answer = driver.call(scenario("tck-message-response")).await.unwrap();
        let SendMessageResponse { payload: Some(Payload::Message(message)) } = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(text(&message.parts), "Direct message response");
        let streamed = all(driver.stream(Ask::Send(scenario("tck-message-response"))).await.unwrap()).await;
        assert_eq!(streamed.iter().map(gist).collect::<Vec<_>>(), ["message"]);
    }
}

#[tokio::test]
async fn input_required_and_again_and_completed() {
    let stage = Stage::with_conformance_agent().await;
    let driver = stage.driver(Door::HttpJson).await;
    let asked = sent(&stage, "tck-input-required").await;
    assert_eq!(state(&asked), TaskState::InputRequired);
    for (name, expected) in
        [("tck-input-required", TaskState::InputRequired), ("tck-complete-task", TaskState::Completed)]
    {
        let next = task(driver.call(scenario_of(&asked, name)).await.unwrap());
        assert_eq!((next.id.as_str(), state(&next)), (asked.id.as_str(), expected), "{name}");
    }
}

#[tokio::test]
async fn anything_else_completes() {
    let stage = Stage::with_conformance_agent().await;
    let done = sent(&stage, "tck-dm-test-001").await;
    assert_eq!(state(&done), TaskState::Completed);
    assert_eq!(said(&done), "Unhandled messageId prefix: tck-dm-test-001-0a1b2c3d");
}

#[tokio::test]
async fn reject_task() {
    let stage = Stage::with_conformance_agent().await;
    assert_eq!(state(&sent(&stage, "tck-reject-task").await), TaskState::Rejected);
}

#[tokio::test]
async fn streams() {
    let stage = Stage::with_conformance_agent().await;
    let worked = ["task WORKING", "artifact", "COMPLETED"];
    for (name, events, artifact) in [
        ("tck-stream-001", &worked[..], "Stream hello from TCK"),
        ("tck-stream-002", &["task COMPLETED"], ""),
        ("tck-stream-003", &worked, "Stream task lifecycle"),
        ("tck-stream-ordering-001", &worked, "Ordered output"),
        ("tck-stream-artifact-text", &worked, "Streamed text content"),
        ("tck-stream-artifact-file", &worked, "tck"),
        (
            "tck-stream-artifact-chunked",
            &["task WORKING", "artifact", "artifact", "COMPLETED"],
            "chunk-1 chunk-2",
        ),
    ] {
        let driver = stage.driver(Door::JsonRpc).await;
        let seen = all(driver.stream(Ask::Send(scenario(name))).await.unwrap()).await;
        let gists: Vec<String> = seen.iter().map(gist).collect();
        assert_eq!(gists, merged(&gists, events), "{name}");
        let stored = stage_task(&stage, &seen).await;
        let parts: Vec<Part> = stored.artifacts.into_iter().flat_map(|artifact| artifact.parts).collect();
        assert_eq!(text(&parts), artifact, "{name}");
    }
}

#[tokio::test]
async fn resubscription_finds_the_task_at_work() {
    let stage = Stage::with_conformance_agent().await;
    let driver = stage.driver(Door::HttpJson).await;
    let mut first = driver.stream(Ask::Send(scenario("test-resubscribe-message-id"))).await.unwrap();
    let id = id_of(&first.item().await);
    drop(first);
    let request = a2a_proto::a2a::SubscribeToTaskRequest { id, ..Default::default() };
    let seen = all(driver.stream(Ask::Subscribe(request)).await.unwrap()).await;
    assert_eq!(gist(seen.last().unwrap()), "COMPLETED");
}

/// What a stream shows before the snapshot that begins it is in the snapshot.
fn merged(gists: &[String], expected: &[&str]) -> Vec<String> {
    let submitted = gists[0] == "task SUBMITTED";
    let begin = submitted.then(|| "task SUBMITTED".to_owned()).into_iter();
    let rest = expected.iter().enumerate().map(|(at, gist)| match (submitted, at) {
        (true, 0) => gist.trim_start_matches("task ").to_owned(),
        _ => (*gist).to_owned(),
    });
    begin.chain(rest).collect()
}

async fn sent(stage: &Stage, name: &str) -> Task {
    task(stage.driver(Door::HttpJson).await.call(scenario(name)).await.unwrap())
}

async fn stage_task(stage: &Stage, seen: &[a2a_proto::a2a::StreamResponse]) -> Task {
    let request = a2a_proto::a2a::GetTaskRequest { id: id_of(&seen[0]), ..Default::default() };
    stage.driver(Door::Grpc).await.call(request).await.unwrap()
}

fn id_of(item: &a2a_proto::a2a::StreamResponse) -> String {
    match &item.payload {
        Some(a2a_proto::a2a::stream_response::Payload::Task(task)) => task.id.clone(),
        other => panic!("expected a task, got {other:?}"),
    }
}

fn said(task: &Task) -> String {
    let message = task.status.as_ref().and_then(|status| status.message.as_ref());
    text(&message.expect("a status message").parts)
}

fn text(parts: &[Part]) -> String {
    let text = |part: &Part| match &part.content {
        Some(Content::Text(text)) => text.clone(),
        Some(Content::Raw(bytes)) => String::from_utf8(bytes.to_vec()).expect("text"),
        other => panic!("expected text, got {other:?}"),
    };
    parts.iter().map(text).collect()
}
