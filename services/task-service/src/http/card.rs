//! The agent card, where clients look for it (A2A section 8.2).

use std::time::SystemTime;

use a2a_proto::json;
use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};

use super::HttpDoor;

/// The well-known path (RFC 8615).
pub(super) const PATH: &str = "/.well-known/agent-card.json";
/// Caches ask again after so long.
const CACHE_CONTROL: &str = "public, max-age=60";

pub(super) async fn serve(State(door): State<HttpDoor>, headers: HeaderMap) -> Response {
    let body = match json::to_vec(door.tasks.card().as_proto()) {
        Ok(body) => body,
        Err(error) => {
            tracing::error!(%error, "the agent card cannot be shown as JSON");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let etag = etag(&body);
    let unchanged = is_unchanged(&headers, &etag, door.started);
    let mut response = Response::new(if unchanged { Body::empty() } else { Body::from(body) });
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let modified = httpdate::fmt_http_date(door.started);
    let named = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CACHE_CONTROL, CACHE_CONTROL.to_owned()),
        (header::ETAG, etag),
        (header::LAST_MODIFIED, modified),
    ];
    for (name, value) in named {
        response.headers_mut().extend(HeaderValue::from_str(&value).ok().map(|value| (name, value)));
    }
    response
}

fn etag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

/// If-None-Match wins over If-Modified-Since (RFC 9110 section 13.2.2).
fn is_unchanged(headers: &HeaderMap, etag: &str, modified: SystemTime) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(tags) = text(header::IF_NONE_MATCH) {
        return tags
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == etag || tag == "*");
    }
    let since = text(header::IF_MODIFIED_SINCE).and_then(|since| httpdate::parse_http_date(since).ok());
    // The date has whole seconds.
    since.is_some_and(|since| modified.duration_since(since).map_or(true, |newer| newer.as_secs() == 0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn with(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn conditions() {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_500);
        let tag = etag(b"card");
        assert!(is_unchanged(&with(header::IF_NONE_MATCH, &format!("\"x\", W/{tag}")), &tag, modified));
        assert!(!is_unchanged(&with(header::IF_NONE_MATCH, "\"x\""), &tag, modified));
        let date = httpdate::fmt_http_date(modified);
        assert!(is_unchanged(&with(header::IF_MODIFIED_SINCE, &date), &tag, modified));
        assert!(!is_unchanged(
            &with(header::IF_MODIFIED_SINCE, &date),
            &tag,
            modified + Duration::from_secs(2)
        ));
        assert!(!is_unchanged(&HeaderMap::new(), &tag, modified));
    }
}
