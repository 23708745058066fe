//! HTTP+JSON (A2A section 11).

use a2a_proto::{
    a2a::{
        CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
        GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest, SendMessageRequest,
        SendMessageResponse, SubscribeToTaskRequest, TaskPushNotificationConfig,
    },
    json,
};
use axum::{
    body::{Body, Bytes},
    extract::Request,
    response::Response,
};
use http::{HeaderValue, Method, StatusCode, Uri, header};
use prost::Name;
use serde_json::{Map, Value, json};

use super::{
    HttpDoor, answer,
    call::{self, Unreadable},
    route::{Miss, Operation, Route, route},
    sse,
};
use crate::{call::Call, error::Error, revisions, tasks::TaskStream};

/// The fields of a page that are there even when empty.
pub(super) const PAGE: [(&str, Value); 1] = [("tasks", Value::Array(Vec::new()))];

/// Answers a request.
pub(super) async fn serve(door: &HttpDoor, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let a2a_json = call::wants_a2a_json(&parts.headers);
    let route = match route(&parts.method, parts.uri.path()) {
        Ok(route) => route,
        Err(miss) => return missed(&miss, a2a_json),
    };
    let body = match call::body(door, &parts.headers, body).await {
        Ok(body) => body,
        Err(unreadable) => return unread(unreadable, a2a_json),
    };
    let call = call::open(door, &parts.headers, &parts.uri);
    match operate(door, &call, route, &parts.uri, &body).await {
        Ok(Outcome::Value(value)) => answer::json(StatusCode::OK, a2a_json, &value),
        Ok(Outcome::Stream(stream, with_revisions)) => sse::respond(
            *stream,
            door.keep_alive,
            with_revisions,
            |value| value,
            |error| answer::error_value(&error),
        ),
        Err(error) => answer::error(&error, a2a_json),
    }
}

enum Outcome {
    Value(Value),
    Stream(Box<TaskStream>, bool),
}

async fn operate(
    door: &HttpDoor,
    call: &Call,
    route: Route,
    uri: &Uri,
    body: &Bytes,
) -> Result<Outcome, Error> {
    let (tasks, tenant) = (&door.tasks, tenant(route.tenant, uri));
    tasks.admit(call, &tenant)?;
    match route.operation {
        Operation::Send => {
            let request: SendMessageRequest = read(body)?;
            let request = SendMessageRequest { tenant: named(tenant, &request.tenant), ..request };
            let response = SendMessageResponse { payload: Some(tasks.send(call, request).await?.into()) };
            shown(&response)
        }
        Operation::Stream => {
            let request: SendMessageRequest = read(body)?;
            let request = SendMessageRequest { tenant: named(tenant, &request.tenant), ..request };
            Ok(stream(call, tasks.send_streaming(call, request).await?))
        }
        Operation::Get(id) => {
            shown(&tasks.get(call, GetTaskRequest { tenant, id, ..from_query(uri)? }).await?)
        }
        Operation::List => {
            let page = tasks.list(call, ListTasksRequest { tenant, ..from_query(uri)? }).await?;
            shown_with(&page, &page_fields())
        }
        Operation::Cancel(id) => {
            let request: CancelTaskRequest = read_or_default(body)?;
            let tenant = named(tenant, &request.tenant);
            shown(&tasks.cancel(call, CancelTaskRequest { tenant, id, ..request }).await?)
        }
        Operation::Subscribe(id) => {
            Ok(stream(call, tasks.subscribe(call, SubscribeToTaskRequest { tenant, id }).await?))
        }
        operation => push(door, call, tenant, operation, uri, body).await,
    }
}

async fn push(
    door: &HttpDoor,
    call: &Call,
    tenant: String,
    operation: Operation,
    uri: &Uri,
    body: &Bytes,
) -> Result<Outcome, Error> {
    let tasks = &door.tasks;
    match operation {
        Operation::CreatePush(task_id) => {
            let config: TaskPushNotificationConfig = read(body)?;
            let tenant = named(tenant, &config.tenant);
            let config = TaskPushNotificationConfig { tenant, task_id, ..config };
            shown(&tasks.create_push(call, config).await?)
        }
        Operation::GetPush(task_id, id) => {
            shown(&tasks.get_push(call, GetTaskPushNotificationConfigRequest { tenant, task_id, id }).await?)
        }
        Operation::ListPushes(task_id) => {
            let request = ListTaskPushNotificationConfigsRequest { tenant, task_id, ..from_query(uri)? };
            shown(&tasks.list_pushes(call, request).await?)
        }
        Operation::DeletePush(task_id, id) => {
            let request = DeleteTaskPushNotificationConfigRequest { tenant, task_id, id };
            tasks.delete_push(call, request).await?;
            // Clients read JSON out of every answer.
            Ok(Outcome::Value(json!({})))
        }
        _ => shown(&tasks.extended_card(call, &tenant)?),
    }
}

/// The fields of ListTasks that are there even when empty (A2A section 3.1.4).
pub(super) fn page_fields() -> Vec<(&'static str, Value)> {
    let [tasks] = PAGE;
    vec![tasks, ("nextPageToken", json!("")), ("pageSize", json!(0)), ("totalSize", json!(0))]
}

/// The tenant of the path; the query's where the path names none.
fn tenant(in_path: String, uri: &Uri) -> String {
    let in_query = || call::query(uri).find(|(name, _)| name == "tenant").map(|(_, tenant)| tenant);
    if in_path.is_empty() { in_query().unwrap_or_default() } else { in_path }
}

/// The body's tenant counts where no other is named.
fn named(tenant: String, in_body: &str) -> String {
    if tenant.is_empty() { in_body.to_owned() } else { tenant }
}

fn stream(call: &Call, stream: TaskStream) -> Outcome {
    Outcome::Stream(Box::new(stream), revisions::are_wanted(call))
}

fn shown<M: prost::Message + Name>(message: &M) -> Result<Outcome, Error> {
    shown_with(message, &[])
}

fn shown_with<M: prost::Message + Name>(message: &M, required: &[(&str, Value)]) -> Result<Outcome, Error> {
    Ok(Outcome::Value(answer::value(message, required)?))
}

fn read<M: prost::Message + Name + Default>(body: &Bytes) -> Result<M, Error> {
    json::from_slice(body).map_err(|error| Error::from_json(&error))
}

fn read_or_default<M: prost::Message + Name + Default>(body: &Bytes) -> Result<M, Error> {
    if body.is_empty() { Ok(M::default()) } else { read(body) }
}

/// A request whose fields are in the query, in either spelling.
fn from_query<M: prost::Message + Name + Default>(uri: &Uri) -> Result<M, Error> {
    let fields: Map<String, Value> = call::query(uri).map(|(name, text)| (name, query_value(text))).collect();
    json::from_slice(Value::Object(fields).to_string().as_bytes()).map_err(|error| Error::from_json(&error))
}

/// ProtoJSON takes numbers in quotes, but no booleans.
fn query_value(text: String) -> Value {
    match text.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::String(text),
    }
}

pub(super) fn missed(miss: &Miss, a2a_json: bool) -> Response {
    match miss {
        Miss::Unknown => answer::http_error(StatusCode::NOT_FOUND, "no such path", a2a_json),
        Miss::Method(allowed) => {
            let mut response =
                answer::http_error(StatusCode::METHOD_NOT_ALLOWED, "the path has other methods", a2a_json);
            let allowed = allowed.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
            response
                .headers_mut()
                .extend(HeaderValue::from_str(&allowed).ok().map(|value| (header::ALLOW, value)));
            response
        }
    }
}

fn unread(unreadable: Unreadable, a2a_json: bool) -> Response {
    match unreadable {
        Unreadable::MediaType => answer::http_error(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be application/json or application/a2a+json",
            a2a_json,
        ),
        Unreadable::Late => {
            answer::http_error(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time", a2a_json)
        }
        Unreadable::Body => {
            answer::http_error(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than is taken", a2a_json)
        }
    }
}
