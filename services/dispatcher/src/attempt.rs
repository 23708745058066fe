//! One attempt to deliver the head of a lane.

use std::time::Duration;

use a2a_lifecycle::delivery::{Failure, Outcome};
use a2a_lifecycle::egress::{Origin, Target};
use a2a_proto::json;
use a2a_runtime::clock;
use a2a_runtime::trace::TraceContext;
use a2a_store::delivery::Delivery;
use a2a_store::keys::PushLane;
use bytes::Bytes;
use http::HeaderMap;
use tracing::{Instrument, Span};

use crate::dispatcher::Dispatcher;
use crate::gate::Wait;
use crate::reason::Reason;
use crate::webhook::{Answer, Labels};

/// An attempt that was made.
#[derive(Debug)]
pub(crate) struct Made {
    /// Unknown when the policy refuses the url.
    pub(crate) origin: Option<Origin>,
    pub(crate) answer: Answer,
    pub(crate) span: Span,
}

/// Why none was made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unfit {
    Park(Reason),
    /// There is no place for it now.
    Wait(Wait),
}

/// Makes an attempt. The end of the drain interrupts it.
pub(crate) async fn attempt(
    dispatcher: &Dispatcher,
    lane: &PushLane,
    delivery: &Delivery,
) -> Result<Made, Unfit> {
    let body = body(delivery, dispatcher.limits.poison_deaths).map_err(Unfit::Park)?;
    let (span, trace) = traced(delivery);
    let Ok(target) = dispatcher.webhooks.target(&delivery.config.url) else { return Ok(refused(span)) };
    let is_retry = delivery.attempts > 0;
    let place = dispatcher.gate.enter(&target.origin, is_retry).await.map_err(Unfit::Wait)?;
    let headers = headers(dispatcher, lane, delivery, trace, (&target, &body)).map_err(Unfit::Park)?;
    let answer = send(dispatcher, &target, headers, body).instrument(span.clone()).await;
    place.ended(&answer.outcome);
    Ok(Made { origin: Some(target.origin), answer, span })
}

/// An event that was started so often before, and never finished, seems to end the process that does.
fn body(delivery: &Delivery, poison_deaths: u32) -> Result<Bytes, Reason> {
    if delivery.starts > poison_deaths {
        return Err(Reason::Poison);
    }
    let response = delivery.response().map_err(|_| Reason::Undecodable)?;
    let body = json::to_vec(&response).map_err(|_| Reason::Undecodable)?;
    Ok(body.into())
}

fn headers(
    dispatcher: &Dispatcher,
    lane: &PushLane,
    delivery: &Delivery,
    trace: TraceContext,
    (target, body): (&Target, &Bytes),
) -> Result<HeaderMap, Reason> {
    let labels = Labels {
        task: &lane.task,
        event_id: &delivery.event_id,
        revision: delivery.revision,
        attempt: delivery.attempts.saturating_add(1),
        at_ms: clock::unix_ms(),
        trace,
        config: &delivery.config,
    };
    dispatcher.webhooks.headers(&labels, target, body).map_err(|_| Reason::RejectedConfig)
}

async fn send(dispatcher: &Dispatcher, target: &Target, headers: HeaderMap, body: Bytes) -> Answer {
    let started = clock::instant();
    tokio::select! {
        biased;
        answer = dispatcher.webhooks.send(target, headers, body) => answer,
        () = dispatcher.interrupt.cancelled() => {
            Answer { outcome: Outcome::Interrupted, duration: started.elapsed() }
        }
    }
}

fn refused(span: Span) -> Made {
    let answer = Answer { outcome: Outcome::Failed(Failure::Egress), duration: Duration::ZERO };
    Made { origin: None, answer, span }
}

/// A span of the trace that led to the event. Where nobody traces, the receiver gets that trace as it is.
fn traced(delivery: &Delivery) -> (Span, TraceContext) {
    let stored = stored_trace(&delivery.trace);
    let span = tracing::info_span!("webhook", otel.kind = "client", trace_id = tracing::field::Empty);
    stored.attach(&span);
    let own = TraceContext::of(&span);
    (span, if own.is_empty() { stored } else { own })
}

/// Stored as traceparent, then a space and tracestate where there is one.
fn stored_trace(text: &str) -> TraceContext {
    let (traceparent, tracestate) = text.split_once(' ').unwrap_or((text, ""));
    TraceContext { traceparent: traceparent.to_owned(), tracestate: tracestate.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_trace_may_lack_its_state() {
        assert!(stored_trace("").is_empty());
        assert_eq!(stored_trace("00-a-b-01").tracestate, "");
        let both = stored_trace("00-a-b-01 k=v,l=w x");
        assert_eq!((both.traceparent.as_str(), both.tracestate.as_str()), ("00-a-b-01", "k=v,l=w x"));
    }
}
