//! The HTTP doors: HTTP+JSON, JSON-RPC and the agent card (A2A sections 9, 11
//! and 8.2). Thin, without a rule of their own: what they share with gRPC is in
//! [`crate::tasks`].

mod answer;
mod call;
mod card;
mod json_rpc;
mod jwks;
mod rest;
mod route;
mod sse;

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
    routing::get,
};
use http::{HeaderName, HeaderValue, Method, header};
use tower_http::{
    cors::{AllowOrigin, Any, CorsLayer},
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
};

pub use jwks::BadJwks;
pub(crate) use jwks::Jwks;

use crate::tasks::Tasks;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What pages may send. A wildcard would not hold for `authorization`.
const REQUEST_HEADERS: [HeaderName; 11] = [
    header::ACCEPT,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::IF_NONE_MATCH,
    HeaderName::from_static("a2a-extensions"),
    HeaderName::from_static("a2a-version"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    REQUEST_ID,
];
/// What pages may read beside what they always may.
const ANSWER_HEADERS: [HeaderName; 3] = [header::ETAG, header::RETRY_AFTER, REQUEST_ID];
/// Where JSON-RPC is served beside the root.
const JSON_RPC_PATHS: [&str; 3] = ["/", "/rpc", "/rpc/"];

/// What the doors need.
#[derive(Clone)]
pub(crate) struct HttpDoor {
    pub(crate) tasks: Tasks,
    /// The version that a call without one is taken for.
    pub(crate) missing_version: Arc<str>,
    pub(crate) max_request_bytes: usize,
    /// Longest wait for the body of a request.
    pub(crate) body_timeout: Duration,
    pub(crate) jwks: Jwks,
    /// How often a silent stream says that it lives.
    pub(crate) keep_alive: Duration,
}

/// A page's origin that is no header value.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no origin: write one such as https://example.com, or *")]
pub struct BadOrigin(String);

/// The routes of the door, open to pages of these origins.
pub(crate) fn router(door: HttpDoor, origins: &[String]) -> Result<Router, BadOrigin> {
    let router = Router::new()
        .route(card::PATH, get(card::serve))
        .route(card::TENANT_PATH, get(card::serve_tenant))
        .route(jwks::PATH, get(jwks::serve))
        .fallback(dispatch)
        .with_state(door)
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid));
    Ok(if origins.is_empty() { router } else { router.layer(cors(origins)?) })
}

async fn dispatch(State(door): State<HttpDoor>, request: Request<Body>) -> Response {
    if !JSON_RPC_PATHS.contains(&request.uri().path()) {
        return rest::serve(&door, request).await;
    }
    match *request.method() {
        Method::POST => json_rpc::serve(&door, request).await,
        _ => rest::missed(&route::Miss::Method(vec![Method::POST]), false),
    }
}

fn cors(origins: &[String]) -> Result<CorsLayer, BadOrigin> {
    let cors = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(REQUEST_HEADERS)
        .expose_headers(ANSWER_HEADERS);
    if origins.iter().any(|origin| origin == "*") {
        return Ok(cors.allow_origin(Any));
    }
    let parse = |origin: &String| HeaderValue::from_str(origin).map_err(|_| BadOrigin(origin.clone()));
    let origins = origins.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    Ok(cors.allow_origin(AllowOrigin::list(origins)))
}
