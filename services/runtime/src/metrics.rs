//! The metrics of the process.

use std::fmt;
use std::sync::Arc;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::info::Info;

pub use prometheus_client::registry::Registry as Registration;

/// What OpenMetrics text is served as.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics of the process, complete before the first scrape; clones share it.
#[derive(Clone, Debug)]
pub struct Registry(Arc<Registration>);

impl Registry {
    /// Starts with `a2a_build_info`; `register` adds the rest. Metrics carry their
    /// full name (`a2a_...`) where they are registered: no prefix is added.
    pub fn build(
        service: &'static str,
        version: &'static str,
        register: impl FnOnce(&mut Registration),
    ) -> Self {
        let mut metrics = Registration::default();
        let build = Info::new([("service", service), ("version", version)]);
        metrics.register("a2a_build", "The running binary and its version", build);
        register(&mut metrics);
        Self(Arc::new(metrics))
    }

    /// The current values as OpenMetrics text.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.0)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::metrics::counter::Counter;

    use super::*;

    #[test]
    fn the_text_has_the_build_and_what_was_registered() {
        let events = <Counter>::default();
        let registry = Registry::build("a2a-dispatcher", "1.2.3", |metrics| {
            metrics.register("a2a_events", "Events seen", events.clone());
        });
        events.inc_by(3);

        let text = registry.encode().unwrap();

        assert!(text.contains(r#"a2a_build_info{service="a2a-dispatcher",version="1.2.3"} 1"#), "{text}");
        assert!(text.contains("a2a_events_total 3\n"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
