//! Service parameters and bodies of HTTP requests.

use a2a_runtime::trace::TraceContext;
use axum::body::{Body, Bytes, to_bytes};
use http::{HeaderMap, Uri, header};

use super::HttpDoor;
use crate::call::{self, Call};

/// What is wrong with a request before anything of A2A is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// The body is of another media type than JSON.
    MediaType,
    /// It is larger than is taken, or ended too early.
    Body,
    /// It did not arrive in time.
    Late,
}

/// The service parameters: headers, and the version from the query as well.
pub(super) fn open(door: &HttpDoor, headers: &HeaderMap, uri: &Uri) -> Call {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("\u{fffd}"));
    let in_query =
        query(uri).find(|(name, _)| name.eq_ignore_ascii_case("a2a-version")).map(|(_, version)| version);
    let named = text("a2a-version").map(str::to_owned).filter(|version| !version.is_empty()).or(in_query);
    Call {
        version: named.unwrap_or_else(|| door.missing_version.to_string()),
        extensions: headers
            .get_all("a2a-extensions")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(call::extensions)
            .collect(),
        trace: TraceContext::from_headers(headers),
        idempotency_key: text("idempotency-key").map(str::to_owned),
        resume_after: text("last-event-id").map(str::to_owned),
    }
}

/// The pairs of the query, decoded.
pub(super) fn query(uri: &Uri) -> impl Iterator<Item = (String, String)> + '_ {
    url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned()
}

/// Reads a body of JSON; an empty one needs no media type.
pub(super) async fn body(door: &HttpDoor, headers: &HeaderMap, body: Body) -> Result<Bytes, Unreadable> {
    let read = tokio::time::timeout(door.body_timeout, to_bytes(body, door.max_request_bytes));
    let bytes = read.await.map_err(|_| Unreadable::Late)?.map_err(|_| Unreadable::Body)?;
    if bytes.is_empty() || is_json(headers) { Ok(bytes) } else { Err(Unreadable::MediaType) }
}

/// Whether the answer is to be of the protocol's own media type: only for those
/// who name it, since many take `application/json` alone.
pub(super) fn wants_a2a_json(headers: &HeaderMap) -> bool {
    [header::ACCEPT, header::CONTENT_TYPE]
        .iter()
        .flat_map(|name| headers.get_all(name))
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("application/a2a+json"))
}

fn is_json(headers: &HeaderMap) -> bool {
    let named = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "application/json" | "application/a2a+json")
}
