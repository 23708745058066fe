//! The JSON-RPC binding (A2A section 9; JSON-RPC 2.0).

use a2a_tests::process::ServiceOptions;
use http::Method;
use serde_json::{Value, json};

use crate::{
    core::NO_TASK,
    raw::{Raw, Reply},
    stage::Stage,
};

#[tokio::test]
async fn broken_envelopes() {
    let stage = Stage::set().await;
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("{} {}", -32700, Value::Null),
        ("7", -32600, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","method":"ListTasks"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ListTasks"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ListTasks"}"#, -32600, json!(1)),
        (r#"{"id":1,"method":"ListTasks"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"a","method":7}"#, -32600, json!("a")),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, json!("a")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":[]}"#, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"listTasks"}"#, -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"message/send"}"#, -32601, json!(1)),
    ] {
        let reply = Reply::of(stage.raw.post_as("/", "application/json", body)).await;
        check_error(&reply, code, &id);
        assert_eq!(reply.status, 200, "{body}");
    }
}

#[tokio::test]
async fn invalid_params_name_their_fields() {
    let stage = Stage::set().await;
    for (method, params, field) in [
        ("SendMessage", json!({}), "message"),
        ("SendMessage", json!({"message": {"messageId": 7}}), "message.messageId"),
        (
            "SendMessage",
            json!({"message": {"parts": [{"text": "x"}, {"text": {}}]}}),
            "message.parts[1].text",
        ),
        ("GetTask", json!({"id": "x", "historyLength": "many"}), "historyLength"),
        ("ListTasks", json!({"status": "SLEEPING"}), "status"),
        ("GetTask", json!({}), "id"),
    ] {
        let error = stage.raw.call(method, params.clone()).await["error"].take();
        assert_eq!(error["code"], -32602, "{method} {params}: {error}");
        let of_type = |kind: &str| {
            let details = error["data"].as_array().unwrap();
            details.iter().find(|detail| detail["@type"] == format!("type.googleapis.com/google.rpc.{kind}"))
        };
        assert_eq!(of_type("ErrorInfo").unwrap()["reason"], "INVALID_ARGUMENT");
        assert_eq!(of_type("BadRequest").unwrap()["fieldViolations"][0]["field"], field, "{error}");
    }
}

#[tokio::test]
async fn the_version_is_looked_at_before_the_params() {
    let stage = Stage::set().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": 7}});
    let request = stage.raw.bare(Method::POST, "/").header("Content-Type", "application/json");
    let reply = Reply::of(request.body(body.to_string())).await;
    check_error(&reply, -32009, &json!(1));
}

#[tokio::test]
async fn every_id_comes_back() {
    let stage = Stage::set().await;
    for id in [json!(0), json!(-7), json!(1.5), json!("a"), json!(""), Value::Null] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "ListTasks", "params": {}});
        let answer = stage.raw.rpc(&request).await.json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id));
        assert!(answer["result"]["tasks"].is_array() && answer.get("error").is_none());
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "GetTask", "params": {"id": NO_TASK}});
        check_error(&stage.raw.rpc(&request).await, -32001, &id);
    }
}

#[tokio::test]
async fn params_may_be_left_out() {
    let stage = Stage::set().await;
    let answer = stage.raw.rpc(&json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"})).await.json();
    assert_eq!(answer["result"]["totalSize"], 0);
}

#[tokio::test]
async fn params_in_snake_case_and_unknown_ones() {
    let stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let listed = stage
        .raw
        .call("ListTasks", json!({"context_id": task.context_id, "page_size": 7, "later": {}}))
        .await;
    assert_eq!((&listed["result"]["pageSize"], &listed["result"]["totalSize"]), (&json!(7), &json!(1)));
    let got = stage.raw.call("GetTask", json!({"id": task.id, "history_length": 0})).await;
    assert_eq!(got["result"].get("history"), None);
    let configs = stage.raw.call("ListTaskPushNotificationConfigs", json!({"task_id": task.id})).await;
    assert!(configs["result"].is_object(), "{configs}");
}

#[tokio::test]
async fn every_path_of_the_endpoint_answers() {
    let stage = Stage::set().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"});
    for path in ["", "/", "/rpc", "/rpc/"] {
        let reply = Reply::of(stage.raw.post(path, &body)).await;
        assert_eq!(reply.json()["result"]["totalSize"], 0, "{path}");
        assert_eq!(reply.header("content-type"), "application/json");
        let got = Reply::of(stage.raw.get(path)).await;
        assert_eq!((got.status.as_u16(), got.header("allow")), (405, "POST"), "{path}");
    }
}

#[tokio::test]
async fn other_media_types() {
    let stage = Stage::set().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    for taken in
        ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/a2a+json"]
    {
        let reply = Reply::of(stage.raw.post_as("/", taken, &body)).await;
        assert_eq!(reply.json()["result"]["totalSize"], 0, "{taken}");
    }
    for refused in ["text/plain", "application/xml", "application/jsonp"] {
        for body in [body.as_str(), "hello"] {
            let reply = Reply::of(stage.raw.post_as("/", refused, body)).await;
            assert_eq!(reply.status, 415, "{refused}");
            check_error(&reply, -32005, &Value::Null);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_too_large() {
    let stage = Stage::set_with(ServiceOptions::default().flag("max-request-bytes", 2_000)).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {"x": "y".repeat(3_000)}});
    let reply = stage.raw.rpc(&body).await;
    assert_eq!(reply.status, 413);
    check_error(&reply, -32600, &Value::Null);
}

#[tokio::test]
async fn delete_answers_null() {
    let stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let answer =
        stage.raw.call("DeleteTaskPushNotificationConfig", json!({"taskId": task.id, "id": "none"})).await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "result": null}));
}

#[tokio::test]
async fn unknown_extensions_are_ignored() {
    let stage = Stage::set().await;
    let raw: &Raw = &stage.raw;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"});
    let reply = Reply::of(raw.post("/", &body).header("A2A-Extensions", "urn:none, urn:other")).await;
    assert_eq!(reply.json()["result"]["totalSize"], 0);
}

/// An error object as JSON-RPC and A2A have it.
#[track_caller]
fn check_error(reply: &Reply, code: i64, id: &Value) {
    let response = reply.json();
    assert_eq!((&response["jsonrpc"], &response["id"]), (&json!("2.0"), id), "{response}");
    assert_eq!(response.get("result"), None);
    let error = &response["error"];
    assert_eq!(error["code"], code, "{response}");
    assert!(error["message"].is_string() && error["data"].is_array(), "{response}");
    assert_eq!(reply.header("content-type"), "application/json");
}
