//! `A2A-Version` (A2A section 3.6) on each binding.

use a2a_proto::a2a::ListTasksRequest;
use a2a_tests::process::ServiceOptions;
use http::Method;
use serde_json::{Value, json};

use crate::{core::NO_TASK, raw::Reply, stage::Stage};

/// Every operation of HTTP+JSON.
const OPERATIONS: [(Method, &str); 12] = [
    (Method::POST, "/message:send"),
    (Method::POST, "/message:stream"),
    (Method::GET, "/tasks"),
    (Method::GET, "/tasks/x"),
    (Method::POST, "/tasks/x:cancel"),
    (Method::POST, "/tasks/x:subscribe"),
    (Method::GET, "/tasks/x:subscribe"),
    (Method::POST, "/tasks/x/pushNotificationConfigs"),
    (Method::GET, "/tasks/x/pushNotificationConfigs"),
    (Method::GET, "/tasks/x/pushNotificationConfigs/y"),
    (Method::DELETE, "/tasks/x/pushNotificationConfigs/y"),
    (Method::GET, "/extendedAgentCard"),
];

/// Every method of JSON-RPC.
const METHODS: [&str; 11] = [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

#[tokio::test]
async fn versions_on_each_binding() {
    let stage = Stage::set().await;
    for driver in stage.drivers().await {
        for spoken in ["1.0", "1.0.1", "1.0.42"] {
            let answer = driver.with("a2a-version", spoken).call(ListTasksRequest::default()).await;
            assert!(answer.is_ok(), "{:?} {spoken}", driver.door);
        }
        for other in ["0.3", "0.3.0", "1.1", "2.0", "99.0", "latest"] {
            let answer = driver.with("a2a-version", other).call(ListTasksRequest::default()).await;
            let refused = answer.expect_err(other);
            assert_eq!(refused.reason, "VERSION_NOT_SUPPORTED", "{:?} {other}", driver.door);
            assert_eq!(refused.metadata["supported"], "1.0");
        }
    }
}

#[tokio::test]
async fn a_missing_version_is_the_old_one_for_every_operation() {
    let stage = Stage::set().await;
    for (method, path) in OPERATIONS {
        for version in [None, Some("")] {
            let request = stage.raw.bare(method.clone(), path);
            let request = version.into_iter().fold(request, |request, v| request.header("A2A-Version", v));
            let reply = Reply::of(request).await;
            assert_eq!(reason(&reply.json()), "VERSION_NOT_SUPPORTED", "{method} {path}");
        }
    }
    for method in METHODS {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        let request = stage.raw.bare(Method::POST, "/").header("Content-Type", "application/json");
        let answer = Reply::of(request.body(body)).await.json();
        assert_eq!(answer["error"]["code"], -32009, "{method}");
        assert_eq!(answer["error"]["data"][0]["reason"], "VERSION_NOT_SUPPORTED", "{method}");
    }
}

#[tokio::test]
async fn the_version_in_the_query() {
    let stage = Stage::set().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    for (query, taken) in
        [("A2A-Version=1.0", true), ("a2a-version=1.0.3", true), ("A2A-Version=0.3", false), ("x=1", false)]
    {
        let listed = Reply::of(stage.raw.bare(Method::GET, &format!("/tasks?{query}"))).await;
        assert_eq!(listed.status.is_success(), taken, "{query}");
        let request = stage.raw.bare(Method::POST, &format!("/?{query}"));
        let request = request.header("Content-Type", "application/json").body(body.clone());
        assert_eq!(Reply::of(request).await.json().get("result").is_some(), taken, "{query}");
    }
    let both = stage.raw.get("/tasks?A2A-Version=0.3");
    assert_eq!(Reply::of(both).await.status, 200, "the header is what counts");
}

#[tokio::test]
async fn a_deployment_may_take_a_missing_version_for_another() {
    let stage = Stage::set_with(ServiceOptions::default().flag("http-version-when-missing", "1.0")).await;
    assert_eq!(Reply::of(stage.raw.bare(Method::GET, "/tasks")).await.status, 200);
    let old = stage.raw.bare(Method::GET, &format!("/tasks/{NO_TASK}")).header("A2A-Version", "0.3");
    assert_eq!(reason(&Reply::of(old).await.json()), "VERSION_NOT_SUPPORTED");
}

fn reason(body: &Value) -> &str {
    body["error"]["details"][0]["reason"].as_str().unwrap_or_default()
}
