use std::fmt;

use a2a_proto::{
    a2a::StreamResponse,
    json::{self, JsonError},
};
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Line;

/// An event as it reached the receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// Stable over retries.
    pub webhook_id: String,
    /// Which attempt it was, as the sender counts.
    pub attempt: String,
    /// Whether the caller proved itself.
    pub checks: Checks,
    /// The body.
    pub event: StreamResponse,
}

/// Which headers were as expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// `Authorization`.
    pub authorization: bool,
    /// `X-A2A-Notification-Token`.
    pub x_token: bool,
    /// `A2A-Notification-Token`.
    pub token: bool,
}

/// A line that holds no delivery, or a delivery that makes no line.
#[derive(Debug, thiserror::Error)]
pub enum BadLine {
    #[error("not a delivery in JSON")]
    Json(#[from] serde_json::Error),
    #[error("its body is no event")]
    Event(#[from] JsonError),
}

/// A delivery as a line of JSON, for the program that started the receiver.
#[derive(Serialize, Deserialize)]
struct Record {
    webhook_id: String,
    attempt: String,
    checks: Checks,
    event: Value,
}

impl Checks {
    /// Whether every header was right.
    #[must_use]
    pub fn all(self) -> bool {
        self.wrong().next().is_none()
    }

    /// The names of the headers that were missing or wrong.
    pub fn wrong(self) -> impl Iterator<Item = &'static str> {
        self.named().into_iter().filter(|(_, right)| !right).map(|(name, _)| name)
    }

    fn named(self) -> [(&'static str, bool); 3] {
        [
            ("Authorization", self.authorization),
            ("X-A2A-Notification-Token", self.x_token),
            ("A2A-Notification-Token", self.token),
        ]
    }
}

impl Delivery {
    pub(super) fn new(headers: &HeaderMap, checks: Checks, event: StreamResponse) -> Self {
        let text = |name: &str| {
            headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        Self { webhook_id: text("webhook-id"), attempt: text("a2a-delivery-attempt"), checks, event }
    }

    /// As a line of JSON.
    ///
    /// # Errors
    /// When the event cannot be shown in JSON.
    pub fn to_line(&self) -> Result<String, BadLine> {
        let event = serde_json::from_slice(&json::to_vec(&self.event)?)?;
        let Self { webhook_id, attempt, checks, event: _ } = self.clone();
        Ok(serde_json::to_string(&Record { webhook_id, attempt, checks, event })?)
    }

    /// From such a line.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_line(line: &str) -> Result<Self, BadLine> {
        let Record { webhook_id, attempt, checks, event } = serde_json::from_str(line)?;
        Ok(Self { webhook_id, attempt, checks, event: json::from_slice(event.to_string().as_bytes())? })
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  [", Line(&self.event))?;
        for (name, right) in self.checks.named() {
            write!(f, "{name} {}, ", if right { "ok" } else { "WRONG" })?;
        }
        write!(f, "attempt {}]", self.attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery() -> Delivery {
        let event = br#"{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"},"metadata":{"n":5}}}"#;
        let headers = HeaderMap::from_iter([
            ("webhook-id".parse().unwrap(), "w".parse().unwrap()),
            ("a2a-delivery-attempt".parse().unwrap(), "1".parse().unwrap()),
        ]);
        let checks = Checks { authorization: true, x_token: true, token: false };
        Delivery::new(&headers, checks, json::from_slice(event).unwrap())
    }

    #[test]
    fn a_line_is_read_back() {
        let line = delivery().to_line().unwrap();
        assert_eq!(Delivery::from_line(&line).unwrap(), delivery());
        assert!(Delivery::from_line("hello").is_err());
    }

    #[test]
    fn people_see_what_was_checked() {
        assert_eq!(
            delivery().to_string(),
            "task            SUBMITTED  [Authorization ok, X-A2A-Notification-Token ok, \
             A2A-Notification-Token WRONG, attempt 1]"
        );
    }
}
