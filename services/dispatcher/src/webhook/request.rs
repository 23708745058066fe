//! The headers of a webhook request.

use a2a_proto::a2a::{AuthenticationInfo, TaskPushNotificationConfig};
use a2a_runtime::trace::TraceContext;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use thiserror::Error;

const TOKEN: HeaderName = HeaderName::from_static("a2a-notification-token");
const TOKEN_X: HeaderName = HeaderName::from_static("x-a2a-notification-token");
const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const EVENT_SEQUENCE: HeaderName = HeaderName::from_static("a2a-event-sequence");
const DELIVERY_ATTEMPT: HeaderName = HeaderName::from_static("a2a-delivery-attempt");

/// Enough of the hash that no two events share an id.
const ID_BYTES: usize = 16;

/// What a receiver learns beside the event itself.
#[derive(Debug)]
pub struct Labels<'a> {
    pub task: &'a str,
    pub event_id: &'a str,
    pub revision: u64,
    /// From 1.
    pub attempt: u32,
    pub at_ms: i64,
    pub trace: TraceContext,
    pub config: &'a TaskPushNotificationConfig,
}

/// A header cannot carry what the config holds. Says which part, never what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the {0} of the webhook cannot be sent in a header")]
pub struct BadHeader(&'static str);

pub(super) fn headers(
    labels: &Labels<'_>,
    id: &str,
    content_type: HeaderValue,
) -> Result<HeaderMap, BadHeader> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(WEBHOOK_ID, HeaderValue::from_str(id).map_err(|_| BadHeader("id"))?);
    headers.insert(WEBHOOK_TIMESTAMP, HeaderValue::from(labels.at_ms / 1_000));
    headers.insert(EVENT_SEQUENCE, HeaderValue::from(labels.revision));
    headers.insert(DELIVERY_ATTEMPT, HeaderValue::from(labels.attempt));
    labels.trace.write_headers(&mut headers);
    authenticate(&mut headers, labels.config)?;
    Ok(headers)
}

/// The same for every attempt and every replay of an event, so that a receiver can drop repeats.
pub fn webhook_id(task: &str, config: &str, event_id: &str) -> String {
    let hash = Sha256::digest(format!("{task}/{config}/{event_id}"));
    hash.iter().take(ID_BYTES).fold("msg_".to_owned(), |id, byte| id + &format!("{byte:02x}"))
}

fn authenticate(headers: &mut HeaderMap, config: &TaskPushNotificationConfig) -> Result<(), BadHeader> {
    if let Some(authorization) = config.authentication.as_ref().and_then(authorization) {
        headers.insert(AUTHORIZATION, secret(&authorization, "authentication")?);
    }
    if !config.token.is_empty() {
        let token = secret(&config.token, "token")?;
        headers.insert(TOKEN, token.clone());
        headers.insert(TOKEN_X, token);
    }
    Ok(())
}

fn authorization(info: &AuthenticationInfo) -> Option<String> {
    match (canonical(&info.scheme), info.credentials.as_str()) {
        ("", _) => None,
        (scheme, "") => Some(scheme.to_owned()),
        (scheme, credentials) => Some(format!("{scheme} {credentials}")),
    }
}

/// Schemes are case-insensitive, but not every receiver knows it.
fn canonical(scheme: &str) -> &str {
    let known = ["Bearer", "Basic"].into_iter().find(|known| known.eq_ignore_ascii_case(scheme));
    known.unwrap_or(scheme)
}

fn secret(text: &str, what: &'static str) -> Result<HeaderValue, BadHeader> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| BadHeader(what))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(scheme: &str, credentials: &str, token: &str) -> TaskPushNotificationConfig {
        let authentication =
            Some(AuthenticationInfo { scheme: scheme.into(), credentials: credentials.into() });
        TaskPushNotificationConfig {
            id: "c".into(),
            token: token.into(),
            authentication,
            ..TaskPushNotificationConfig::default()
        }
    }

    fn built(config: &TaskPushNotificationConfig) -> Result<HeaderMap, BadHeader> {
        let trace = TraceContext::default();
        let labels =
            Labels { task: "t", event_id: "e", revision: 7, attempt: 2, at_ms: 1_999, trace, config };
        headers(&labels, &webhook_id("t", "c", "e"), HeaderValue::from_static("application/json"))
    }

    #[test]
    fn schemes_that_are_known_are_spelt_as_usual() {
        for (scheme, credentials, expected) in [
            ("bearer", "x", "Bearer x"),
            ("BASIC", "dTpw", "Basic dTpw"),
            ("ApiKey", "k=1, v=\"2\"", "ApiKey k=1, v=\"2\""),
            ("Negotiate", "", "Negotiate"),
        ] {
            let headers = built(&config(scheme, credentials, "")).unwrap();
            assert_eq!(headers[AUTHORIZATION], expected);
            assert!(headers[AUTHORIZATION].is_sensitive());
        }
        assert!(!built(&config("", "x", "")).unwrap().contains_key(AUTHORIZATION));
    }

    #[test]
    fn what_a_header_cannot_carry_is_refused_without_showing_it() {
        assert_eq!(built(&config("Bearer", "a\r\nb: c", "")), Err(BadHeader("authentication")));
        let error = built(&config("", "", "hun\0ter2")).unwrap_err();
        assert!(!error.to_string().contains("hun"), "{error}");
    }

    #[test]
    fn the_id_names_the_event_and_nothing_else() {
        let id = webhook_id("t", "c", "e");
        assert_eq!(id.len(), 36);
        assert_eq!(id, webhook_id("t", "c", "e"));
        assert_ne!(id, webhook_id("t", "d", "e"));
        assert_eq!(built(&config("", "", "")).unwrap()[WEBHOOK_ID], id.as_str());
    }

    #[test]
    fn labels_are_headers() {
        let headers = built(&config("", "", "tok")).unwrap();
        for (name, value) in [
            ("webhook-timestamp", "1"),
            ("a2a-event-sequence", "7"),
            ("a2a-delivery-attempt", "2"),
            ("a2a-notification-token", "tok"),
            ("x-a2a-notification-token", "tok"),
            ("accept-encoding", "identity"),
            ("content-type", "application/json"),
        ] {
            assert_eq!(headers[name], value, "{name}");
        }
    }
}
