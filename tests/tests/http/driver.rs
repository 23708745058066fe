//! The calls of the protocol through any of its three bindings, with answers and
//! refusals that can be compared.

use std::net::SocketAddr;

use a2a_proto::{
    a2a::{SendMessageRequest, StreamResponse, SubscribeToTaskRequest},
    json,
};
use a2a_tests::clients::{self, A2aClient};
use http::{Method, header};
use prost::Name;
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tonic::Request;

use crate::{
    asked::{Asked, Payload, Rest},
    events::Events,
    refused::Refused,
};

/// A binding of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    Grpc,
    JsonRpc,
    HttpJson,
}

impl Door {
    pub(crate) const ALL: [Self; 3] = [Self::Grpc, Self::JsonRpc, Self::HttpJson];
    pub(crate) const HTTP: [Self; 2] = [Self::JsonRpc, Self::HttpJson];
}

/// What asks for a stream.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one of them exists at a time")]
pub(crate) enum Ask {
    Send(SendMessageRequest),
    Subscribe(SubscribeToTaskRequest),
}

/// A client behind one door.
#[derive(Clone, Debug)]
pub(crate) struct Driver {
    pub(crate) door: Door,
    grpc: A2aClient,
    http: reqwest::Client,
    base: String,
    parameters: Vec<(&'static str, String)>,
}

impl Driver {
    pub(crate) async fn new(door: Door, grpc: SocketAddr, http: SocketAddr) -> Self {
        Self {
            door,
            grpc: clients::a2a(grpc).await,
            http: reqwest::Client::new(),
            base: format!("http://{http}"),
            parameters: vec![("a2a-version", "1.0".to_owned())],
        }
    }

    /// The same with a service parameter.
    pub(crate) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut driver = self.clone();
        driver.parameters.retain(|(other, _)| *other != name);
        driver.parameters.push((name, value.to_owned()));
        driver
    }

    /// The same, going on after what was seen.
    pub(crate) fn resuming(&self, after: u64) -> Self {
        let name = if self.door == Door::Grpc { "a2a-resume-after" } else { "last-event-id" };
        self.with(name, &after.to_string())
    }

    /// A call with one answer.
    pub(crate) async fn call<R: Asked>(&self, request: R) -> Result<R::Answer, Refused> {
        match self.door {
            Door::Grpc => {
                let answer = request.over_grpc(self.grpc.clone(), &self.parameters).await;
                answer.map(tonic::Response::into_inner).map_err(|status| Refused::from_status(&status))
            }
            Door::JsonRpc => {
                let response = self.post_rpc(R::METHOD, &request).await;
                let result = Refused::from_json_rpc(&text(response).await)?;
                Ok(from_value(result))
            }
            Door::HttpJson => {
                let response = self.ask_rest(request.over_rest()).send().await.expect("an answer");
                let status = response.status().as_u16();
                Ok(from_value(Refused::from_rest(status, &text(response).await)?))
            }
        }
    }

    /// A call with a stream of answers.
    pub(crate) async fn stream(&self, ask: Ask) -> Result<Events, Refused> {
        match self.door {
            Door::Grpc => self.stream_grpc(ask).await,
            Door::JsonRpc => {
                let response = match ask {
                    Ask::Send(request) => self.post_rpc("SendStreamingMessage", &request).await,
                    Ask::Subscribe(request) => self.post_rpc("SubscribeToTask", &request).await,
                };
                self.events(response).await
            }
            Door::HttpJson => {
                let rest = match ask {
                    Ask::Send(request) => Rest { path: "/message:stream".to_owned(), ..request.over_rest() },
                    Ask::Subscribe(request) => subscribe_rest(&request),
                };
                let response = self.ask_rest(rest).send().await.expect("an answer");
                self.events(response).await
            }
        }
    }

    async fn stream_grpc(&self, ask: Ask) -> Result<Events, Refused> {
        let mut client = self.grpc.clone();
        let opened = match ask {
            Ask::Send(request) => client.send_streaming_message(with_all(request, &self.parameters)).await,
            Ask::Subscribe(request) => client.subscribe_to_task(with_all(request, &self.parameters)).await,
        };
        let stream = opened.map_err(|status| Refused::from_status(&status))?;
        Ok(Events::grpc(stream.into_inner()))
    }

    async fn events(&self, response: Response) -> Result<Events, Refused> {
        let status = response.status().as_u16();
        let media_type = response.headers().get(header::CONTENT_TYPE).cloned();
        if media_type.is_some_and(|named| named.as_bytes().starts_with(b"text/event-stream")) {
            return Ok(Events::sse(response, self.door == Door::JsonRpc));
        }
        let body = text(response).await;
        let refused = match self.door {
            Door::JsonRpc => Refused::from_json_rpc(&body),
            _ => Refused::from_rest(status, &body),
        };
        Err(refused.expect_err("a refusal where no stream is"))
    }

    async fn post_rpc<M: prost::Message + Name>(&self, method: &str, params: &M) -> Response {
        let request = serde_json::json!({
            "jsonrpc": "2.0", "id": 7, "method": method, "params": to_value(params),
        });
        let post = self.http.post(&self.base).header(header::CONTENT_TYPE, "application/json");
        self.with_parameters(post).body(request.to_string()).send().await.expect("an answer")
    }

    fn ask_rest(&self, rest: Rest) -> RequestBuilder {
        let Rest { method, tenant, path, payload } = rest;
        let tenant = if tenant.is_empty() { String::new() } else { format!("/{}", encoded(&tenant)) };
        let mut url = format!("{}{tenant}{path}", self.base);
        if let Payload::Query(query) = &payload
            && !query.is_empty()
        {
            url = format!("{url}?{query}");
        }
        let request = self.with_parameters(self.http.request(method, url));
        match payload {
            Payload::Body(body) => request.header(header::CONTENT_TYPE, "application/json").body(body),
            Payload::Query(_) | Payload::Nothing => request,
        }
    }

    fn with_parameters(&self, request: RequestBuilder) -> RequestBuilder {
        self.parameters.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }
}

/// A request with service parameters.
pub(crate) fn with_all<T>(message: T, parameters: &[(&'static str, String)]) -> Request<T> {
    let mut request = Request::new(message);
    for (name, value) in parameters {
        request.metadata_mut().insert(*name, value.parse().expect("a metadata value"));
    }
    request
}

/// A message as JSON shows it.
pub(crate) fn to_value<M: prost::Message + Name>(message: &M) -> Value {
    serde_json::from_slice(&json::to_vec(message).expect("as JSON")).expect("JSON")
}

/// A message that JSON shows; nothing is an empty one.
#[track_caller]
pub(crate) fn from_value<M: prost::Message + Name + Default>(value: Value) -> M {
    let value = if value.is_null() { Value::Object(serde_json::Map::new()) } else { value };
    json::from_slice(value.to_string().as_bytes()).unwrap_or_else(|e| panic!("{value}: {e:?}"))
}

/// The items of a stream up to its end.
pub(crate) async fn all(mut events: Events) -> Vec<StreamResponse> {
    let mut items = Vec::new();
    while let Some(item) = events.next().await {
        items.push(item.expect("no error").response);
    }
    items
}

/// A path segment, with everything unusual escaped.
pub(crate) fn encoded(segment: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    segment.bytes().map(escaped).collect()
}

fn subscribe_rest(request: &SubscribeToTaskRequest) -> Rest {
    Rest {
        method: Method::GET,
        tenant: request.tenant.clone(),
        path: format!("/tasks/{}:subscribe", encoded(&request.id)),
        payload: Payload::Nothing,
    }
}

async fn text(response: Response) -> String {
    response.text().await.expect("a body")
}
