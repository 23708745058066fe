//! Streams as server-sent events: one JSON document a data line, the task's
//! revision as the id, so that `Last-Event-ID` resumes.

use std::{convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use http::{HeaderName, HeaderValue};
use serde_json::Value;

use crate::{error::Error, follow::Item, revisions, tasks::TaskStream};

/// Proxies that know it pass each event on at once.
const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// An answer that carries a stream; `shown` wraps each item, `failed` an error
/// that ends it. A silent stream says every `keep_alive` that it lives.
pub(super) fn respond(
    mut items: TaskStream,
    keep_alive: Duration,
    with_revisions: bool,
    shown: impl Fn(Value) -> Value + Send + 'static,
    failed: impl Fn(Error) -> Value + Send + 'static,
) -> Response {
    let events = async_stream::stream! {
        while let Some(item) = items.next().await {
            let event = match item {
                Ok(item) => {
                    let revision = item.revision;
                    match value(item, with_revisions) {
                        Some(value) => event(&shown(value)).id(revision.to_string()),
                        None => continue,
                    }
                }
                Err(error) => event(&failed(error)),
            };
            yield Ok::<_, Infallible>(event);
        }
    };
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(keep_alive));
    ([UNBUFFERED], events).into_response()
}

fn value(item: Item, with_revisions: bool) -> Option<Value> {
    let response = if with_revisions { revisions::shown(item) } else { item.response };
    super::answer::value(&response, &[])
        .inspect_err(|error| tracing::error!(%error, "an event cannot be shown as JSON"))
        .ok()
}

fn event(value: &Value) -> Event {
    Event::default().data(value.to_string())
}
