//! Streams as server-sent events.

use a2a_proto::a2a::TaskState;
use a2a_tests::process::ServiceOptions;
use http::Method;
use serde_json::{Value, json};

use crate::{
    core::NO_TASK,
    events::SseReader,
    raw::{Raw, Reply},
    stage::Stage,
};

#[tokio::test]
async fn the_headers_of_a_stream() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Working).await;
    for request in [rpc(&stage.raw, &task.id), stage.raw.get(&format!("/tasks/{}:subscribe", task.id))] {
        let response = request.header("Accept", "text/event-stream").send().await.unwrap();
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!((response.status().as_u16(), header("content-type")), (200, "text/event-stream".into()));
        assert_eq!(header("cache-control"), "no-cache");
        assert_eq!(header("x-accel-buffering"), "no");
    }
}

#[tokio::test]
async fn every_event_of_json_rpc_is_a_response() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Working).await;
    let response = rpc(&stage.raw, &task.id).send().await.unwrap();
    stage.move_to(&task, TaskState::Completed).await;
    let body = response.text().await.unwrap();
    let events: Vec<Value> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert_eq!(events.len(), 2);
    for event in &events {
        assert_eq!((&event["jsonrpc"], &event["id"]), (&json!("2.0"), &json!("of a stream")));
        assert_eq!(event["result"].as_object().map(serde_json::Map::len), Some(1), "{event}");
    }
    assert_eq!(events[1]["result"]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn an_error_before_the_first_event_is_a_plain_one() {
    let stage = Stage::set().await;
    let reply = Reply::of(rpc(&stage.raw, NO_TASK)).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
    assert_eq!(reply.json()["error"]["code"], -32001);
    let reply = Reply::of(stage.raw.get(&format!("/tasks/{NO_TASK}:subscribe"))).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, "application/json"));
}

#[tokio::test]
async fn a_silent_stream_says_that_it_lives() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("sse-keep-alive-ms", 50)).await;
    let task = stage.in_state(TaskState::Working).await;
    for request in [rpc(&stage.raw, &task.id), stage.raw.get(&format!("/tasks/{}:subscribe", task.id))] {
        let mut reader = SseReader::new(request.send().await.unwrap());
        assert!(reader.block().await.unwrap().contains("data:"));
        for _ in 0..3 {
            let comment = reader.block().await.unwrap();
            assert!(comment.lines().all(|line| line.starts_with(':')), "{comment}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_for_our_reasons_ends_with_an_error() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Working).await;
    let rpc = rpc(&stage.raw, &task.id).send().await.unwrap();
    let rest = stage.raw.get(&format!("/tasks/{}:subscribe", task.id)).send().await.unwrap();
    stage.service.sigterm();
    let last = |body: &str| -> Value {
        let data = body.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap();
        serde_json::from_str(data).unwrap()
    };
    let (rpc, rest) = (rpc.text().await.unwrap(), rest.text().await.unwrap());
    let error = &last(&rpc)["error"];
    assert_eq!((&error["code"], &error["data"][0]["reason"]), (&json!(-32603), &json!("UNAVAILABLE")));
    let error = &last(&rest)["error"];
    assert_eq!((&error["code"], &error["details"][0]["reason"]), (&json!(503), &json!("UNAVAILABLE")));
}

#[tokio::test]
async fn a_reader_that_leaves_takes_nothing_with_it() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-streams-per-caller", 1)).await;
    let task = stage.in_state(TaskState::Working).await;
    let path = format!("/tasks/{}:subscribe", task.id);
    let first = stage.raw.get(&path).send().await.unwrap();
    let full = Reply::of(stage.raw.request(Method::POST, &path)).await;
    assert_eq!(
        (full.status.as_u16(), &full.json()["error"]["details"][0]["reason"]),
        (429, &json!("RESOURCE_EXHAUSTED"))
    );
    drop(first);
    a2a_tests::until("the place is given back", crate::stage::SOON, || async {
        let response = stage.raw.get(&path).send().await.unwrap();
        response.status().is_success().then_some(())
    })
    .await;
    stage.move_to(&task, TaskState::Completed).await;
}

fn rpc(raw: &Raw, id: &str) -> reqwest::RequestBuilder {
    let request = json!({
        "jsonrpc": "2.0", "id": "of a stream", "method": "SubscribeToTask", "params": {"id": id},
    });
    raw.post("/", &request)
}
