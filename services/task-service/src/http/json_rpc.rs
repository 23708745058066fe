//! JSON-RPC 2.0 (A2A section 9).

use a2a_proto::{
    a2a::{GetExtendedAgentCardRequest, SendMessageResponse},
    json,
};
use axum::{body::Body, extract::Request, response::Response};
use http::{StatusCode, header, request::Parts};
use prost::Name;
use serde_json::{Value, json};

use super::{
    HttpDoor, answer,
    call::{self, Unreadable},
    rest::page_fields,
    sse,
};
use crate::{call::Call, error::Error, revisions, tasks::TaskStream};

/// What JSON-RPC itself says of a request (section 5.1 of its specification).
enum Broken {
    Parse,
    Invalid(&'static str),
    UnknownMethod,
    Params,
    MediaType,
    TooLarge,
    Late,
}

enum Outcome {
    Value(Value),
    Stream(Box<TaskStream>),
}

struct Envelope {
    id: Value,
    method: String,
    params: Value,
}

/// Answers a request.
pub(super) async fn serve(door: &HttpDoor, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let body = match call::body(door, &parts.headers, body).await {
        Ok(body) => body,
        Err(Unreadable::MediaType) => return broken(&Value::Null, &Broken::MediaType),
        Err(Unreadable::Body) => return broken(&Value::Null, &Broken::TooLarge),
        Err(Unreadable::Late) => return broken(&Value::Null, &Broken::Late),
    };
    let Envelope { id, method, params } = match envelope(&body) {
        Ok(envelope) => envelope,
        Err((id, why)) => return broken(&id, &why),
    };
    let call = match admit(door, &parts, &params) {
        Ok(call) => call,
        Err(error) => return failed(&id, &error),
    };
    match operate(door, &call, &method, &params).await {
        None => broken(&id, &Broken::UnknownMethod),
        Some(Err(error)) => failed(&id, &error),
        Some(Ok(Outcome::Value(value))) => answer::json(StatusCode::OK, false, &result(&id, &value)),
        Some(Ok(Outcome::Stream(stream))) => {
            let with_revisions = revisions::are_wanted(&call);
            let of = id.clone();
            let shown = move |value: Value| result(&of, &value);
            sse::respond(*stream, door.keep_alive, with_revisions, shown, move |error| {
                error_object(&id, &answer::json_rpc_error(&error).0)
            })
        }
    }
}

/// Whether the call may be made comes before what it says.
fn admit(door: &HttpDoor, parts: &Parts, params: &Value) -> Result<Call, Error> {
    let call = call::open(door, &parts.headers, &parts.uri);
    let tenant = params.get("tenant").and_then(Value::as_str).unwrap_or_default();
    door.tasks.admit(&call, tenant)?;
    Ok(call)
}

/// `None` for a method that does not exist.
async fn operate(
    door: &HttpDoor,
    call: &Call,
    method: &str,
    params: &Value,
) -> Option<Result<Outcome, Error>> {
    let tasks = &door.tasks;
    /// Reads the params, makes the call, shows the answer.
    macro_rules! unary {
        ($operation:ident) => {
            async { shown(&tasks.$operation(call, read(params)?).await?, &[]) }.await
        };
    }
    Some(match method {
        "SendMessage" => {
            async {
                let answer = tasks.send(call, read(params)?).await?;
                shown(&SendMessageResponse { payload: Some(answer.into()) }, &[])
            }
            .await
        }
        "SendStreamingMessage" => {
            async { Ok(stream(tasks.send_streaming(call, read(params)?).await?)) }.await
        }
        "SubscribeToTask" => async { Ok(stream(tasks.subscribe(call, read(params)?).await?)) }.await,
        "GetTask" => unary!(get),
        "ListTasks" => async { shown(&tasks.list(call, read(params)?).await?, &page_fields()) }.await,
        "CancelTask" => unary!(cancel),
        "CreateTaskPushNotificationConfig" => unary!(create_push),
        "GetTaskPushNotificationConfig" => unary!(get_push),
        "ListTaskPushNotificationConfigs" => unary!(list_pushes),
        "DeleteTaskPushNotificationConfig" => {
            async { tasks.delete_push(call, read(params)?).await.map(|()| Outcome::Value(Value::Null)) }.await
        }
        "GetExtendedAgentCard" => {
            async {
                let request: GetExtendedAgentCardRequest = read(params)?;
                shown(&tasks.extended_card(call, &request.tenant)?, &[])
            }
            .await
        }
        _ => return None,
    })
}

fn envelope(body: &[u8]) -> Result<Envelope, (Value, Broken)> {
    let request: Value = serde_json::from_slice(body).map_err(|_| (Value::Null, Broken::Parse))?;
    let Value::Object(mut fields) = request else {
        let what = if request.is_array() { "batches are not taken" } else { "a request is an object" };
        return Err((Value::Null, Broken::Invalid(what)));
    };
    let id = match fields.remove("id") {
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => id,
        Some(_) => return Err((Value::Null, Broken::Invalid("id must be a string, a number or null"))),
        None => return Err((Value::Null, Broken::Invalid("id is required: notifications are not taken"))),
    };
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return Err((id, Broken::Invalid("jsonrpc must be \"2.0\"")));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err((id, Broken::Invalid("method must be a string")));
    };
    match fields.remove("params").unwrap_or_else(|| json!({})) {
        params @ Value::Object(_) => Ok(Envelope { id, method, params }),
        _ => Err((id, Broken::Params)),
    }
}

fn read<M: prost::Message + Name + Default>(params: &Value) -> Result<M, Error> {
    json::from_slice(params.to_string().as_bytes()).map_err(|error| Error::from_json(&error))
}

fn shown<M: prost::Message + Name>(message: &M, required: &[(&str, Value)]) -> Result<Outcome, Error> {
    Ok(Outcome::Value(answer::value(message, required)?))
}

fn stream(stream: TaskStream) -> Outcome {
    Outcome::Stream(Box::new(stream))
}

fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error_object(id: &Value, error: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Errors of A2A travel with status 200, as JSON-RPC over HTTP has it.
fn failed(id: &Value, error: &Error) -> Response {
    let (error, retry) = answer::json_rpc_error(error);
    let mut response = answer::json(StatusCode::OK, false, &error_object(id, &error));
    response.headers_mut().extend(retry.map(|seconds| (header::RETRY_AFTER, seconds)));
    response
}

fn broken(id: &Value, why: &Broken) -> Response {
    let (status, code, message) = match why {
        Broken::Parse => (StatusCode::OK, -32700, "the body is not JSON"),
        Broken::Invalid(what) => (StatusCode::OK, -32600, *what),
        Broken::UnknownMethod => (StatusCode::OK, -32601, "no such method"),
        Broken::Params => (StatusCode::OK, -32602, "params must be an object"),
        Broken::MediaType => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, -32005, "the body must be application/json")
        }
        Broken::Late => (StatusCode::REQUEST_TIMEOUT, -32600, "the body did not arrive in time"),
        Broken::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, -32600, "the body is larger than is taken"),
    };
    let error = json!({ "code": code, "message": message, "data": [] });
    answer::json(status, false, &error_object(id, &error))
}
