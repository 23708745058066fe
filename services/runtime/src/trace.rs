//! Trace contexts (W3C Trace Context), as they travel through headers and records.

use std::collections::HashMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Span, debug};
use tracing_opentelemetry::OpenTelemetrySpanExt;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// What a vendor may put in tracestate and expect to be passed on.
const TRACESTATE_MAX_BYTES: usize = 512;

/// The place of a span in its trace; both parts are empty when unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceContext {
    pub traceparent: String,
    pub tracestate: String,
}

impl TraceContext {
    /// What the peer sent. Anything malformed counts as unknown, and a tracestate
    /// over its size is dropped: the result is safe to store and to send on.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let traceparent = joined(headers, &TRACEPARENT);
        let tracestate = joined(headers, &TRACESTATE);
        let tracestate = if tracestate.len() > TRACESTATE_MAX_BYTES { String::new() } else { tracestate };
        Self::of_context(&Self { traceparent, tracestate }.to_context())
    }

    /// The current span's.
    pub fn current() -> Self {
        Self::of(&Span::current())
    }

    pub fn of(span: &Span) -> Self {
        Self::of_context(&span.context())
    }

    pub fn is_empty(&self) -> bool {
        self.traceparent.is_empty()
    }

    /// The headers that carry this context on; none when it is unknown.
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in [(TRACEPARENT, &self.traceparent), (TRACESTATE, &self.tracestate)] {
            if let Ok(value) = HeaderValue::from_str(value)
                && !value.is_empty()
            {
                headers.insert(name, value);
            }
        }
    }

    /// Makes this the parent of `span`, which must be new: not yet entered, nor the
    /// parent of another. Then records the trace's id in the span's `trace_id`
    /// field, when the span declares one, so that log lines carry it.
    pub fn attach(&self, span: &Span) {
        let parent = self.to_context();
        if parent.has_active_span()
            && let Err(error) = span.set_parent(parent)
        {
            debug!(%error, "span keeps its own trace");
        }
        let context = span.context();
        if context.has_active_span() {
            span.record("trace_id", tracing::field::display(context.span().span_context().trace_id()));
        }
    }

    /// Notes in `span` that this other trace led to it.
    pub fn link(&self, span: &Span) {
        span.add_link(self.to_context().span().span_context().clone());
    }

    fn to_context(&self) -> Context {
        let carrier = HashMap::from([
            (TRACEPARENT.to_string(), self.traceparent.clone()),
            (TRACESTATE.to_string(), self.tracestate.clone()),
        ]);
        TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier)
    }

    fn of_context(context: &Context) -> Self {
        let mut carrier = HashMap::<String, String>::new();
        TraceContextPropagator::new().inject_context(context, &mut carrier);
        Self {
            traceparent: carrier.remove(TRACEPARENT.as_str()).unwrap_or_default(),
            tracestate: carrier.remove(TRACESTATE.as_str()).unwrap_or_default(),
        }
    }
}

/// A list header may come in several lines; they mean the same as one.
fn joined(headers: &HeaderMap, name: &HeaderName) -> String {
    let lines: Vec<&str> = headers.get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
    lines.join(",")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::error::OTelSdkResult;
    use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
    use parking_lot::Mutex;
    use tracing::info_span;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    fn remote() -> TraceContext {
        TraceContext { traceparent: format!("00-{TRACE}-b7ad6b7169203331-01"), tracestate: "a=1,b=2".into() }
    }

    #[derive(Clone, Debug, Default)]
    struct Finished(Arc<Mutex<Vec<SpanData>>>);

    impl SpanExporter for Finished {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            self.0.lock().extend(batch);
            Ok(())
        }
    }

    fn with_tracer(run: impl FnOnce()) -> Vec<SpanData> {
        let finished = Finished::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(finished.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), run);
        std::mem::take(&mut *finished.0.lock())
    }

    #[test]
    fn headers_round_trip() {
        let mut headers = HeaderMap::new();
        remote().write_headers(&mut headers);
        assert_eq!(headers.len(), 2);
        assert_eq!(TraceContext::from_headers(&headers), remote());

        let mut none = HeaderMap::new();
        TraceContext::default().write_headers(&mut none);
        assert!(none.is_empty());
        assert!(TraceContext::from_headers(&none).is_empty());
    }

    #[test]
    fn tracestate_lines_are_one_list() {
        let mut headers = HeaderMap::new();
        remote().write_headers(&mut headers);
        headers.insert(TRACESTATE, HeaderValue::from_static("a=1"));
        headers.append(TRACESTATE, HeaderValue::from_static("b=2"));
        assert_eq!(TraceContext::from_headers(&headers), remote());
    }

    #[test]
    fn what_is_malformed_or_too_long_is_unknown() {
        let mut headers = HeaderMap::new();
        headers.insert(TRACEPARENT, HeaderValue::from_static("00-zz-b7ad6b7169203331-01"));
        assert_eq!(TraceContext::from_headers(&headers), TraceContext::default());

        remote().write_headers(&mut headers);
        headers.insert(TRACESTATE, HeaderValue::from_str(&format!("a={}", "x".repeat(600))).unwrap());
        assert_eq!(TraceContext::from_headers(&headers).tracestate, "");
        assert_eq!(TraceContext::from_headers(&headers).traceparent, remote().traceparent);
    }

    #[test]
    fn an_attached_span_continues_the_trace() {
        with_tracer(|| {
            let span = info_span!("request", trace_id = tracing::field::Empty);
            remote().attach(&span);
            let context = span.in_scope(TraceContext::current);
            assert!(context.traceparent.contains(TRACE), "{context:?}");
            assert_ne!(context.traceparent, remote().traceparent);
            assert_eq!(context.tracestate, "a=1,b=2");
        });
    }

    #[test]
    fn a_span_without_a_parent_begins_a_trace() {
        with_tracer(|| {
            let span = info_span!("request");
            TraceContext::default().attach(&span);
            assert!(!TraceContext::of(&span).is_empty());
        });
        assert!(TraceContext::current().is_empty());
    }

    #[test]
    fn a_linked_span_keeps_its_own_trace() {
        let spans = with_tracer(|| remote().link(&info_span!("delivery")));
        let [span] = spans.try_into().unwrap();
        assert_ne!(span.span_context.trace_id().to_string(), TRACE);
        assert_eq!(span.links[0].span_context.trace_id().to_string(), TRACE);
    }
}
