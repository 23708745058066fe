//! What a refusal says, whichever door it came through; each door's own codes
//! are checked against the table of the specification on the way.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorInfo, StatusExt as _};

const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";

/// Reason, gRPC code, its name, HTTP status, JSON-RPC code (A2A section 5.4).
const CODES: [(&str, Code, &str, u16, i64); 16] = [
    ("TASK_NOT_FOUND", Code::NotFound, "NOT_FOUND", 404, -32001),
    ("TASK_NOT_CANCELABLE", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32002),
    ("PUSH_NOTIFICATION_NOT_SUPPORTED", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32003),
    ("UNSUPPORTED_OPERATION", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32004),
    ("CONTENT_TYPE_NOT_SUPPORTED", Code::InvalidArgument, "INVALID_ARGUMENT", 400, -32005),
    ("INVALID_AGENT_RESPONSE", Code::Internal, "INTERNAL", 500, -32006),
    ("EXTENDED_AGENT_CARD_NOT_CONFIGURED", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32007),
    ("EXTENSION_SUPPORT_REQUIRED", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32008),
    ("VERSION_NOT_SUPPORTED", Code::FailedPrecondition, "FAILED_PRECONDITION", 400, -32009),
    ("INVALID_ARGUMENT", Code::InvalidArgument, "INVALID_ARGUMENT", 400, -32602),
    ("CONTEXT_MISMATCH", Code::InvalidArgument, "INVALID_ARGUMENT", 400, -32602),
    ("CONTEXT_NOT_ACCEPTED", Code::InvalidArgument, "INVALID_ARGUMENT", 400, -32602),
    ("RESOURCE_EXHAUSTED", Code::ResourceExhausted, "RESOURCE_EXHAUSTED", 429, -32603),
    ("UNAVAILABLE", Code::Unavailable, "UNAVAILABLE", 503, -32603),
    ("CONTENDED", Code::Aborted, "ABORTED", 409, -32603),
    ("INTERNAL", Code::Internal, "INTERNAL", 500, -32603),
];

/// A refusal without what is particular to its door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) metadata: BTreeMap<String, String>,
    /// The fields of a `google.rpc.BadRequest`, and what is wrong with them.
    pub(crate) violations: Vec<(String, String)>,
    pub(crate) retry_after: Option<Duration>,
}

impl Refused {
    #[track_caller]
    pub(crate) fn from_status(status: &Status) -> Self {
        let ErrorInfo { reason, domain, metadata } = status.get_details_error_info().expect("an ErrorInfo");
        assert_eq!(domain, DOMAIN, "{status:?}");
        assert_eq!(status.code(), codes(&reason).1, "{status:?}");
        let violations = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
        Self {
            reason,
            message: status.message().to_owned(),
            metadata: metadata.into_iter().collect(),
            violations: violations
                .into_iter()
                .map(|violation| (violation.field, violation.description))
                .collect(),
            retry_after: status.get_details_retry_info().and_then(|retry| retry.retry_delay),
        }
    }

    /// The result of a JSON-RPC response, or its error.
    #[track_caller]
    pub(crate) fn from_json_rpc(body: &str) -> Result<Value, Self> {
        let mut response: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert_eq!((&response["jsonrpc"], &response["id"]), (&"2.0".into(), &7.into()), "{body}");
        let Some(error) = response.get("error") else {
            assert!(response.get("result").is_some(), "{body}");
            return Ok(response["result"].take());
        };
        assert_eq!(keys(error), ["code", "data", "message"], "{body}");
        let refused = Self::from_details(&error["message"], &error["data"]);
        assert_eq!(error["code"], codes(&refused.reason).4, "{body}");
        Err(refused)
    }

    /// The body of an HTTP+JSON response, or its error.
    #[track_caller]
    pub(crate) fn from_rest(status: u16, body: &str) -> Result<Value, Self> {
        let value: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{status} {body}: {e}"));
        if status < 400 {
            return Ok(value);
        }
        let error = &value["error"];
        assert_eq!(keys(error), ["code", "details", "message", "status"], "{body}");
        let refused = Self::from_details(&error["message"], &error["details"]);
        let codes = codes(&refused.reason);
        let said = (status, error["code"].as_u64(), error["status"].as_str());
        assert_eq!(said, (codes.3, Some(codes.3.into()), Some(codes.2)), "{body}");
        Err(refused)
    }

    /// The fields that it complains of.
    pub(crate) fn fields(&self) -> Vec<&str> {
        self.violations.iter().map(|(field, _)| field.as_str()).collect()
    }

    #[track_caller]
    fn from_details(message: &Value, details: &Value) -> Self {
        let details = details.as_array().unwrap_or_else(|| panic!("details are an array: {details}"));
        let of_type = |kind: &str| details.iter().find(|detail| detail["@type"] == kind);
        let info = of_type(ERROR_INFO).unwrap_or_else(|| panic!("no ErrorInfo in {details:?}"));
        assert_eq!(info["domain"], DOMAIN, "{details:?}");
        let violations = of_type(BAD_REQUEST).and_then(|bad| bad["fieldViolations"].as_array());
        let retry = of_type(RETRY_INFO).map(|retry| seconds(&retry["retryDelay"]));
        Self {
            reason: text(&info["reason"]),
            message: text(message),
            metadata: info["metadata"]
                .as_object()
                .map(|pairs| pairs.iter().map(|(key, value)| (key.clone(), text(value))).collect())
                .unwrap_or_default(),
            violations: violations
                .into_iter()
                .flatten()
                .map(|violation| (text(&violation["field"]), text(&violation["description"])))
                .collect(),
            retry_after: retry,
        }
    }
}

#[track_caller]
fn codes(reason: &str) -> (&'static str, Code, &'static str, u16, i64) {
    let row = CODES.into_iter().find(|(known, ..)| *known == reason);
    row.unwrap_or_else(|| panic!("{reason:?} is no reason of the protocol"))
}

fn keys(value: &Value) -> Vec<&str> {
    let fields = value.as_object().into_iter().flatten();
    let mut keys: Vec<&str> = fields.map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

#[track_caller]
fn seconds(value: &Value) -> Duration {
    let text = text(value);
    let seconds = text.strip_suffix('s').and_then(|seconds| seconds.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or_else(|| panic!("{text} is no duration")))
}
