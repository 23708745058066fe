//! Whatever bytes or text come in, nothing panics, and what is read from JSON
//! comes out as the same JSON again.

use proptest::prelude::*;
use prost::{Message, Name};
use serde_json::{Map, Value};

use super::{encoded_to_vec, from_slice, to_vec};
use crate::{a2a, agent, push};

/// What callers may send, and what readers are shown.
const KINDS: [&str; 8] = [
    "lf.a2a.v1.SendMessageRequest",
    "lf.a2a.v1.StreamResponse",
    "lf.a2a.v1.Task",
    "lf.a2a.v1.AgentCard",
    "lf.a2a.v1.ListTasksRequest",
    "a2a.agent.v1.WorkItem",
    "a2a.push.v1.ListDeadLettersResponse",
    "no.such.Type",
];

/// Names that the protocol knows, and one that it does not.
const NAMES: [&str; 24] = [
    "message",
    "messageId",
    "message_id",
    "role",
    "parts",
    "text",
    "raw",
    "url",
    "data",
    "metadata",
    "task",
    "status",
    "state",
    "timestamp",
    "artifact",
    "artifacts",
    "artifactUpdate",
    "history",
    "configuration",
    "historyLength",
    "returnImmediately",
    "capabilities",
    "streaming",
    "unknown",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            Just("ROLE_USER".to_owned()),
            Just("TASK_STATE_WORKING".to_owned()),
            Just("2026-01-02T03:04:05.006Z".to_owned()),
            Just("aGVsbG8=".to_owned()),
            ".{0,8}",
        ]
        .prop_map(Value::String),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(6, 40, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            4 => prop::collection::vec((prop::sample::select(&NAMES[..]), inner), 0..5).prop_map(object),
        ]
    })
}

fn object(fields: Vec<(&'static str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// A request that is well formed but for what `part` and `metadata` hold.
fn request(part: &Value, metadata: &Value) -> Value {
    serde_json::json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": part}]}, "metadata": {"k": metadata}})
}

/// What is read is printed, and read again as the same.
fn comes_back<M: Message + Name + Default + PartialEq + std::fmt::Debug>(
    json: &[u8],
) -> Result<bool, TestCaseError> {
    let Ok(read) = from_slice::<M>(json) else { return Ok(false) };
    let printed = to_vec(&read);
    prop_assert!(printed.is_ok(), "{printed:?} of {read:?}");
    let again = from_slice::<M>(&printed.unwrap_or_default());
    prop_assert!(again.as_ref().is_ok_and(|again| *again == read), "{again:?} in place of {read:?}");
    Ok(true)
}

fn each_comes_back(json: &[u8]) -> Result<(), TestCaseError> {
    comes_back::<a2a::SendMessageRequest>(json)?;
    comes_back::<a2a::StreamResponse>(json)?;
    comes_back::<a2a::Task>(json)?;
    comes_back::<a2a::Part>(json)?;
    comes_back::<a2a::AgentCard>(json)?;
    comes_back::<a2a::ListTasksRequest>(json)?;
    comes_back::<agent::WorkItem>(json)?;
    comes_back::<push::ListDeadLettersResponse>(json)?;
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in prop::sample::select(&KINDS[..])) {
        let _ = encoded_to_vec(kind, &bytes);
        let _ = a2a::SendMessageRequest::decode(bytes.as_slice());
        each_comes_back(&bytes)?;
    }

    #[test]
    fn no_text_panics(text in "[\\[{\"a-z:,0-9\\\\}\\] ]{0,60}") {
        each_comes_back(text.as_bytes())?;
    }

    #[test]
    fn accepted_json_comes_back(document in document()) {
        each_comes_back(document.to_string().as_bytes())?;
    }

    #[test]
    fn any_json_is_data_and_comes_back(part in document(), metadata in document()) {
        let json = request(&part, &metadata).to_string();
        prop_assert!(comes_back::<a2a::SendMessageRequest>(json.as_bytes())?, "{json}");
    }
}

#[test]
fn no_depth_panics() {
    for depth in [10, 100, 127, 1_000, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"k":"#, "}")] {
            let json = format!(r#"{{"data":{}0{}}}"#, open.repeat(depth), close.repeat(depth));
            let _ = comes_back::<a2a::Part>(json.as_bytes());
        }
    }
}
