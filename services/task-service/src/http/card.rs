//! The agent cards, where clients look for them (A2A section 8.2).

use std::time::SystemTime;

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    response::Response,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{HttpDoor, answer};
use crate::card::Published;

/// The well-known path (RFC 8615).
pub(super) const PATH: &str = "/.well-known/agent-card.json";
/// The same for a tenant with a card of its own.
pub(super) const TENANT_PATH: &str = "/{tenant}/.well-known/agent-card.json";
/// Caches ask again after so long.
const CACHE_CONTROL: &str = "public, max-age=60";

pub(super) async fn serve(State(door): State<HttpDoor>, headers: HeaderMap) -> Response {
    shown(door.tasks.cards().published(""), &headers)
}

pub(super) async fn serve_tenant(
    State(door): State<HttpDoor>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
) -> Response {
    shown(door.tasks.cards().published(&tenant), &headers)
}

fn shown(published: Option<Published>, headers: &HeaderMap) -> Response {
    let Some(Published { json, etag, modified, .. }) = published else {
        return answer::http_error(StatusCode::NOT_FOUND, "no such path", false);
    };
    let unchanged = is_unchanged(headers, &etag, modified);
    let body = if unchanged { Body::empty() } else { Body::from(Bytes::from_owner(json)) };
    let mut response = Response::new(body);
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let named = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CACHE_CONTROL, CACHE_CONTROL.to_owned()),
        (header::ETAG, etag),
        (header::LAST_MODIFIED, httpdate::fmt_http_date(modified)),
    ];
    for (name, value) in named {
        response.headers_mut().extend(HeaderValue::from_str(&value).ok().map(|value| (name, value)));
    }
    response
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
        let tag = "\"card\"";
        assert!(is_unchanged(&with(header::IF_NONE_MATCH, &format!("\"x\", W/{tag}")), tag, modified));
        assert!(!is_unchanged(&with(header::IF_NONE_MATCH, "\"x\""), tag, modified));
        let date = httpdate::fmt_http_date(modified);
        assert!(is_unchanged(&with(header::IF_MODIFIED_SINCE, &date), tag, modified));
        assert!(!is_unchanged(
            &with(header::IF_MODIFIED_SINCE, &date),
            tag,
            modified + Duration::from_secs(2)
        ));
        assert!(!is_unchanged(&HeaderMap::new(), tag, modified));
    }
}
