//! Answers in JSON, and errors as each HTTP binding shows them.

use a2a_proto::json::{self, JsonError};
use axum::{body::Body, response::Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use crate::error::{Description, Error};

/// The domain of every reason (A2A section 11.6).
const DOMAIN: &str = "a2a-protocol.org";

/// A message as a value, with the fields that must be there even when empty.
pub(super) fn value<M: prost::Message + prost::Name>(
    message: &M,
    required: &[(&str, Value)],
) -> Result<Value, JsonError> {
    let mut value: Value = serde_json::from_slice(&json::to_vec(message)?).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        for (name, empty) in required {
            fields.entry(*name).or_insert_with(|| empty.clone());
        }
    }
    Ok(value)
}

/// An answer of HTTP+JSON.
pub(super) fn json(status: StatusCode, a2a_json: bool, value: &Value) -> Response {
    let media_type = if a2a_json { "application/a2a+json" } else { "application/json" };
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// An error of HTTP+JSON (A2A section 11.6).
pub(super) fn error(error: &Error, a2a_json: bool) -> Response {
    let (status, value, retry) = described(error);
    let mut response = json(status, a2a_json, &value);
    response.headers_mut().extend(retry.map(|seconds| (header::RETRY_AFTER, seconds)));
    response
}

/// The same as a value, for a stream that has begun.
pub(super) fn error_value(error: &Error) -> Value {
    described(error).1
}

/// An error that HTTP itself has a status for.
pub(super) fn http_error(status: StatusCode, message: &str, a2a_json: bool) -> Response {
    let error = json!({ "error": {
        "code": status.as_u16(),
        "status": canonical(status),
        "message": message,
        "details": [],
    }});
    json(status, a2a_json, &error)
}

/// The error object of JSON-RPC, and the HTTP headers that go with it.
pub(super) fn json_rpc_error(error: &Error) -> (Value, Option<HeaderValue>) {
    let description = describe(error);
    let retry = retry_after(&description);
    let value = json!({
        "code": description.json_rpc,
        "message": description.message,
        "data": details(&description),
    });
    (value, retry)
}

fn described(error: &Error) -> (StatusCode, Value, Option<HeaderValue>) {
    let description = describe(error);
    let status = http_status(description.code);
    let value = json!({ "error": {
        "code": status.as_u16(),
        "status": code_name(description.code),
        "message": description.message,
        "details": details(&description),
    }});
    (status, value, retry_after(&description))
}

fn describe(error: &Error) -> Description {
    if let Error::Fault(fault) = error {
        tracing::warn!(error = %fault.chain(), "a call failed");
    }
    error.describe()
}

fn details(description: &Description) -> Value {
    let metadata: serde_json::Map<String, Value> =
        description.metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone().into())).collect();
    let mut details = vec![json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": description.reason,
        "domain": DOMAIN,
        "metadata": metadata,
    })];
    if !description.violations.is_empty() {
        let violations = description
            .violations
            .iter()
            .map(|violation| json!({ "field": violation.field, "description": violation.description }));
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": violations.collect::<Vec<_>>(),
        }));
    }
    if let Some(delay) = description.retry_after {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{}s", delay.as_secs()),
        }));
    }
    details.into()
}

fn retry_after(description: &Description) -> Option<HeaderValue> {
    description.retry_after.map(|delay| HeaderValue::from(delay.as_secs()))
}

/// google.rpc.Code to HTTP.
fn http_status(code: tonic::Code) -> StatusCode {
    use tonic::Code;
    match code {
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Aborted | Code::AlreadyExists => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn code_name(code: tonic::Code) -> &'static str {
    use tonic::Code;
    match code {
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::NotFound => "NOT_FOUND",
        Code::Aborted => "ABORTED",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::Unauthenticated => "UNAUTHENTICATED",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::Unavailable => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

fn canonical(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::METHOD_NOT_ALLOWED => "UNIMPLEMENTED",
        _ => "INVALID_ARGUMENT",
    }
}
