//! HTTP itself: both versions of it on one port, and request ids.

use a2a_proto::a2a::TaskState;
use a2a_tests::process::ServiceOptions;
use http::{Method, Version};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{raw::Reply, stage::Stage};

#[tokio::test]
async fn both_versions_of_http_on_one_port() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Completed).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task.id}});
    let two = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let one = reqwest::Client::builder().http1_only().build().unwrap();
    for (client, version) in [(one, Version::HTTP_11), (two, Version::HTTP_2)] {
        let raw = stage.raw.with_client(client);
        let response = raw.get("/.well-known/agent-card.json").send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.version()), (200, version));
        assert_eq!(raw.rpc(&body).await.json()["result"]["id"], task.id.as_str());
        let got = Reply::of(raw.get(&format!("/tasks/{}", task.id))).await;
        assert_eq!(got.json()["status"]["state"], "TASK_STATE_COMPLETED");
    }
}

#[tokio::test]
async fn a_stream_over_both_versions() {
    let mut stage = Stage::set().await;
    for http2 in [false, true] {
        let builder = reqwest::Client::builder();
        let builder = if http2 { builder.http2_prior_knowledge() } else { builder.http1_only() };
        let raw = stage.raw.with_client(builder.build().unwrap());
        let task = stage.in_state(TaskState::Working).await;
        let stream = raw.get(&format!("/tasks/{}:subscribe", task.id)).send().await.unwrap();
        stage.move_to(&task, TaskState::Completed).await;
        let body = stream.text().await.unwrap();
        assert_eq!(body.matches("data:").count(), 2, "{body}");
    }
}

#[tokio::test]
async fn request_ids() {
    let stage = Stage::set().await;
    for path in ["/tasks", "/nothing", "/.well-known/agent-card.json"] {
        let made = Reply::of(stage.raw.get(path)).await;
        assert_eq!(made.header("x-request-id").len(), 36, "{path}");
        let kept = Reply::of(stage.raw.get(path).header("X-Request-Id", "mine")).await;
        assert_eq!(kept.header("x-request-id"), "mine", "{path}");
    }
}

#[tokio::test]
async fn a_head_request_has_the_headers_of_a_get() {
    let stage = Stage::set().await;
    let reply = Reply::of(stage.raw.bare(Method::HEAD, "/.well-known/agent-card.json")).await;
    assert_eq!((reply.status.as_u16(), reply.body.as_str()), (200, ""));
    assert!(!reply.header("etag").is_empty());
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let options = ServiceOptions::default().flag("http-body-timeout-ms", 200);
    let stage = Stage::set_with(options).await;
    for path in ["/message:send", "/"] {
        let mut connection = TcpStream::connect(stage.service.at.http).await.unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n");
        connection.write_all(format!("{head}content-length: 100\r\n\r\n{{").as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 408", "{path}");
    }
}
