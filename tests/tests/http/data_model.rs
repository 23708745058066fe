//! JSON as the protocol has it (A2A section 5.5 to 5.7).

use serde_json::{Value, json};

use crate::{raw::Reply, stage::Stage};

const KINDS: [&str; 6] = [
    "tck-complete-task",
    "tck-artifact-text",
    "tck-artifact-file",
    "tck-artifact-file-url",
    "tck-artifact-data",
    "tck-message-response",
];

#[tokio::test]
async fn names_enums_and_timestamps() {
    let stage = Stage::with_conformance_agent().await;
    for kind in KINDS {
        for answer in both(&stage, &message(kind, &json!([{"text": "x"}]))).await {
            walk("", &answer, &check);
        }
    }
}

#[tokio::test]
async fn answers_of_both_bindings_have_what_is_required() {
    let stage = Stage::with_conformance_agent().await;
    for answer in both(&stage, &message("tck-artifact-text", &json!([{"text": "x"}]))).await {
        let task = &answer["task"];
        assert!(text(&task["id"]) && text(&task["contextId"]), "{answer}");
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
        assert!(text(&task["artifacts"][0]["artifactId"]), "{answer}");
        assert_eq!(task["history"][0]["role"], "ROLE_USER");
        assert_eq!(task["history"][0]["contextId"], task["contextId"]);
    }
    for answer in both(&stage, &message("tck-message-response", &json!([{"text": "x"}]))).await {
        let message = &answer["message"];
        assert!(text(&message["messageId"]), "{answer}");
        assert_eq!(message["role"], "ROLE_AGENT");
    }
}

#[tokio::test]
async fn parts_come_back_as_they_were_sent() {
    let stage = Stage::with_conformance_agent().await;
    let parts = json!([
        {"text": ""},
        {"text": "späti ☕\u{0}\n"},
        {"raw": "AP/+"},
        {"url": "https://example.com", "filename": "f", "mediaType": "a/b"},
        {"data": null},
        {"data": [1, 1.5, -3, 9_007_199_254_740_991_i64, "x", {"snake_key": [true, null]}]},
        {"text": "x", "metadata": {"a_b": {"c": 1}}},
    ]);
    for answer in both(&stage, &message("tck-complete-task", &parts)).await {
        assert_eq!(answer["task"]["history"][0]["parts"], parts);
    }
}

#[tokio::test]
async fn unknown_fields_are_ignored_and_enums_may_be_numbers() {
    let stage = Stage::with_conformance_agent().await;
    let mut request = message("tck-complete-task", &json!([{"text": "x", "later": {"a": 1}}]));
    request["later"] = json!([1]);
    request["message"]["later"] = json!(null);
    request["message"]["role"] = json!(1);
    for answer in both(&stage, &request).await {
        assert_eq!(answer["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    }
}

/// Refuses what no JSON of the protocol has.
fn check(name: &str, value: &Value) {
    assert!(!name.contains('_'), "{name} is no camelCase");
    assert!(!value.is_null(), "{name} is null");
    match name {
        "state" => assert!(value.as_str().is_some_and(|state| state.starts_with("TASK_STATE_")), "{value}"),
        "role" => assert!(value.as_str().is_some_and(|role| role.starts_with("ROLE_")), "{value}"),
        "timestamp" => assert!(is_timestamp(value.as_str().unwrap_or_default()), "{value}"),
        _ => {}
    }
}

/// `YYYY-MM-DDTHH:MM:SS[.f]Z`.
fn is_timestamp(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let Some((seconds, fraction)) = shape.strip_suffix('Z').map(|s| s.split_once('.').unwrap_or((s, "0")))
    else {
        return false;
    };
    seconds == "0000-00-00T00:00:00" && !fraction.is_empty() && fraction.chars().all(|c| c == '0')
}

fn walk(name: &str, value: &Value, check: &impl Fn(&str, &Value)) {
    check(name, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(name, item, check)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| walk(name, value, check)),
        _ => {}
    }
}

fn text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// The answers to a message behind the two bindings with JSON.
async fn both(stage: &Stage, request: &Value) -> [Value; 2] {
    let mut answer = stage.raw.call("SendMessage", request.clone()).await;
    assert_eq!(answer.get("error"), None);
    let reply = Reply::of(stage.raw.post("/message:send", request)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    [answer["result"].take(), reply.json()]
}

fn message(name: &str, parts: &Value) -> Value {
    json!({"message": {"messageId": format!("{name}-0a1b2c3d"), "role": "ROLE_USER", "parts": parts}})
}
