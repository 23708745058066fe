//! The HTTP+JSON binding (A2A section 11).

use a2a_proto::a2a::TaskState;
use a2a_tests::process::ServiceOptions;
use http::Method;
use serde_json::{Value, json};

use crate::{core::NO_TASK, raw::Reply, stage::Stage};

const A2A_JSON: &str = "application/a2a+json";

#[tokio::test]
async fn the_protocols_media_type_only_for_those_who_name_it() {
    let stage = Stage::set().await;
    let body = message().to_string();
    for (content_type, accept, answer) in [
        ("application/json", "*/*", "application/json"),
        ("application/json", "application/json", "application/json"),
        ("application/json; charset=utf-8", "*/*", "application/json"),
        (A2A_JSON, "*/*", A2A_JSON),
        ("application/json", "application/a2a+json, application/json;q=0.5", A2A_JSON),
    ] {
        let post = stage.raw.post_as("/message:send", content_type, &body).header("Accept", accept);
        let reply = Reply::of(post).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, answer), "{accept}");
    }
    let unknown = format!("/tasks/{NO_TASK}");
    for (accept, answer) in [("*/*", "application/json"), (A2A_JSON, A2A_JSON)] {
        let reply = Reply::of(stage.raw.get(&unknown).header("Accept", accept)).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, answer), "{accept}");
    }
}

#[tokio::test]
async fn other_media_types() {
    let stage = Stage::set().await;
    for refused in ["text/plain", "multipart/form-data", "application/jsonp"] {
        for path in ["/message:send", "/message:stream"] {
            let reply = Reply::of(stage.raw.post_as(path, refused, &message().to_string())).await;
            check_error(&reply, 415, "INVALID_ARGUMENT");
        }
    }
    let none = stage.raw.request(Method::POST, "/message:send").body(message().to_string());
    check_error(&Reply::of(none).await, 415, "INVALID_ARGUMENT");
}

#[tokio::test]
async fn paths_that_lead_nowhere() {
    let stage = Stage::set().await;
    for path in ["/nothing", "/tasks/x/y", "/a/b/c/tasks", "/v1/message:send/x", "/tasks/"] {
        check_error(&Reply::of(stage.raw.get(path)).await, 404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn paths_say_which_methods_they_have() {
    let stage = Stage::set().await;
    for (method, path, allowed) in [
        (Method::GET, "/message:send", "POST"),
        (Method::GET, "/acme/message:stream", "POST"),
        (Method::POST, "/tasks", "GET"),
        (Method::PUT, "/tasks/x", "GET"),
        (Method::GET, "/tasks/x:cancel", "POST"),
        (Method::DELETE, "/tasks/x:subscribe", "GET, POST"),
        (Method::DELETE, "/tasks/x/pushNotificationConfigs", "POST, GET"),
        (Method::PUT, "/tasks/x/pushNotificationConfigs/c", "GET, DELETE"),
        (Method::POST, "/extendedAgentCard", "GET"),
    ] {
        let reply = Reply::of(stage.raw.request(method, path)).await;
        check_error(&reply, 405, "UNIMPLEMENTED");
        assert_eq!(reply.header("allow"), allowed, "{path}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_message() {
    let stage = Stage::set().await;
    for body in ["", "{", "{}", "[]", "7", r#"{"message":7}"#] {
        for path in ["/message:send", "/message:stream"] {
            let reply = Reply::of(stage.raw.post_as(path, "application/json", body)).await;
            check_error(&reply, 400, "INVALID_ARGUMENT");
            assert_eq!(reply.json()["error"]["details"][0]["reason"], "INVALID_ARGUMENT", "{body}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_too_large() {
    let stage = Stage::set_with(ServiceOptions::default().flag("max-request-bytes", 2_000)).await;
    let mut large = message();
    large["message"]["parts"][0]["text"] = "x".repeat(3_000).into();
    check_error(&Reply::of(stage.raw.post("/message:send", &large)).await, 413, "INVALID_ARGUMENT");
    assert_eq!(Reply::of(stage.raw.get("/tasks")).await.json()["totalSize"], 0);
}

#[tokio::test]
async fn empty_bodies_where_nothing_has_to_be_said() {
    let mut stage = Stage::set().await;
    for media_type in [None, Some("application/json")] {
        let task = stage.in_state(TaskState::InputRequired).await;
        let ask = |path: String| {
            let post = stage.raw.request(Method::POST, &path);
            media_type.into_iter().fold(post, |post, media_type| post.header("Content-Type", media_type))
        };
        let subscribed = ask(format!("/tasks/{}:subscribe", task.id)).send().await.unwrap();
        assert_eq!(
            (subscribed.status().as_u16(), &subscribed.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        let canceled = Reply::of(ask(format!("/tasks/{}:cancel", task.id))).await.json();
        assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
        let events = subscribed.text().await.unwrap();
        assert_eq!(events.matches("data:").count(), 2, "{events}");
    }
}

#[tokio::test]
async fn the_query_in_either_spelling() {
    let stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    for query in [
        format!("contextId={}&pageSize=7&includeArtifacts=false&later=1", task.context_id),
        format!(
            "context_id={}&page_size=7&include_artifacts=true&status=TASK_STATE_SUBMITTED",
            task.context_id
        ),
        format!("contextId={}&pageSize=7&statusTimestampAfter=2020-01-01T00:00:00Z", task.context_id),
    ] {
        let page = Reply::of(stage.raw.get(&format!("/tasks?{query}"))).await.json();
        assert_eq!((&page["pageSize"], &page["totalSize"]), (&json!(7), &json!(1)), "{query}: {page}");
    }
    for (query, messages) in [("", 1), ("?historyLength=0", 0), ("?history_length=5", 1)] {
        let got = Reply::of(stage.raw.get(&format!("/tasks/{}{query}", task.id))).await.json();
        assert_eq!(got["history"].as_array().map_or(0, Vec::len), messages, "{query}");
    }
    for (query, field) in [
        ("pageSize=many", "pageSize"),
        ("pageSize=0", "pageSize"),
        ("includeArtifacts=perhaps", "includeArtifacts"),
        ("status=SLEEPING", "status"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
    ] {
        let reply = Reply::of(stage.raw.get(&format!("/tasks?{query}"))).await;
        check_error(&reply, 400, "INVALID_ARGUMENT");
        assert_eq!(reply.json()["error"]["details"][1]["fieldViolations"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn deletion_answers_an_empty_object() {
    let stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let path = format!("/tasks/{}/pushNotificationConfigs/none", task.id);
    let reply = Reply::of(stage.raw.request(Method::DELETE, &path)).await;
    assert_eq!((reply.status.as_u16(), reply.body.as_str()), (200, "{}"));
}

#[tokio::test]
async fn an_idempotency_key_finds_the_first_task() {
    let stage = Stage::set().await;
    let send = async |text: &str| {
        let mut body = message();
        body["message"]["parts"][0]["text"] = text.into();
        Reply::of(stage.raw.post("/message:send", &body).header("Idempotency-Key", "once")).await
    };
    let (first, again) = (send("hello").await.json(), send("hello").await.json());
    assert_eq!(first["task"]["id"], again["task"]["id"]);
    check_error(&send("another").await, 400, "INVALID_ARGUMENT");
}

fn message() -> Value {
    json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hello"}]},
        "configuration": {"returnImmediately": true},
    })
}

/// An error as the binding has it (A2A section 11.6).
#[track_caller]
fn check_error(reply: &Reply, status: u16, name: &str) {
    let error = &reply.json()["error"];
    let said = (reply.status.as_u16(), &error["code"], &error["status"]);
    assert_eq!(said, (status, &json!(status), &json!(name)), "{reply:?}");
    assert!(error["message"].is_string() && error["details"].is_array(), "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/json");
}
