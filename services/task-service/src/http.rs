//! The HTTP doors: HTTP+JSON, JSON-RPC and the agent card (A2A sections 9, 11
//! and 8.2). Thin, without a rule of their own: what they share with gRPC is in
//! [`crate::tasks`].

mod answer;
mod call;
mod card;
mod json_rpc;
mod rest;
mod route;
mod sse;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
    routing::get,
};
use http::{HeaderName, HeaderValue, Method};
use tower_http::{
    cors::{AllowOrigin, Any, CorsLayer},
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
};

use crate::tasks::Tasks;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Where JSON-RPC is served beside the root.
const JSON_RPC_PATHS: [&str; 3] = ["/", "/rpc", "/rpc/"];

/// What the doors need.
#[derive(Clone)]
pub(crate) struct HttpDoor {
    pub(crate) tasks: Tasks,
    /// The version that a call without one is taken for.
    pub(crate) missing_version: Arc<str>,
    pub(crate) max_request_bytes: usize,
    pub(crate) started: std::time::SystemTime,
}

/// A page's origin that is no header value.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no origin: write one such as https://example.com, or *")]
pub struct BadOrigin(String);

/// The routes of the door, open to pages of these origins.
pub(crate) fn router(door: HttpDoor, origins: &[String]) -> Result<Router, BadOrigin> {
    let router = Router::new()
        .route(card::PATH, get(card::serve))
        .fallback(dispatch)
        .with_state(door)
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid));
    Ok(if origins.is_empty() { router } else { router.layer(cors(origins)?) })
}

async fn dispatch(State(door): State<HttpDoor>, request: Request<Body>) -> Response {
    let is_json_rpc = request.method() == Method::POST && JSON_RPC_PATHS.contains(&request.uri().path());
    if is_json_rpc { json_rpc::serve(&door, request).await } else { rest::serve(&door, request).await }
}

fn cors(origins: &[String]) -> Result<CorsLayer, BadOrigin> {
    let cors = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(Any)
        .expose_headers(Any);
    if origins.iter().any(|origin| origin == "*") {
        return Ok(cors.allow_origin(Any));
    }
    let parse = |origin: &String| HeaderValue::from_str(origin).map_err(|_| BadOrigin(origin.clone()));
    let origins = origins.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    Ok(cors.allow_origin(AllowOrigin::list(origins)))
}
