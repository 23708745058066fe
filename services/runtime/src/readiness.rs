//! Readiness: whether the process should be sent work.

use std::collections::BTreeMap;

use serde::Serialize;
use tokio::sync::watch;

use crate::shutdown::Shutdown;

/// The parts of the process that must be ready; clones share them.
#[derive(Clone, Debug)]
pub struct Readiness {
    components: watch::Sender<BTreeMap<&'static str, bool>>,
    shutdown: Shutdown,
}

/// One part's say.
#[derive(Clone, Debug)]
pub struct Component {
    name: &'static str,
    components: watch::Sender<BTreeMap<&'static str, bool>>,
}

/// Follows the readiness of the process.
#[derive(Debug)]
pub struct Changes {
    readiness: Readiness,
    components: watch::Receiver<BTreeMap<&'static str, bool>>,
}

/// The state of all components at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub ready: bool,
    pub stopping: bool,
    pub components: BTreeMap<&'static str, bool>,
}

impl Readiness {
    pub fn new(shutdown: Shutdown) -> Self {
        Self { components: watch::Sender::default(), shutdown }
    }

    /// Registers a part, not ready until it says so.
    pub fn component(&self, name: &'static str) -> Component {
        let component = Component { name, components: self.components.clone() };
        component.set(false);
        component
    }

    /// Ready is: every registered component is, and the process is not stopping.
    pub fn report(&self) -> Report {
        let components = self.components.borrow().clone();
        let stopping = self.shutdown.is_stopping();
        Report { ready: !stopping && components.values().all(|ready| *ready), stopping, components }
    }

    /// The present readiness, and then each change of it.
    pub fn changes(&self) -> Changes {
        let mut components = self.components.subscribe();
        components.mark_changed();
        Changes { readiness: self.clone(), components }
    }
}

impl Changes {
    /// Whether the process is ready; `None` once it is stopping.
    pub async fn next(&mut self) -> Option<bool> {
        tokio::select! {
            biased;
            () = self.readiness.shutdown.stopping() => None,
            changed = self.components.changed() => changed.ok().map(|()| self.readiness.report().ready),
        }
    }
}

impl Component {
    pub fn set(&self, ready: bool) {
        self.components.send_if_modified(|components| components.insert(self.name, ready) != Some(ready));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_when_every_component_is() {
        let readiness = Readiness::new(Shutdown::without_signals());
        let redis = readiness.component("redis");
        let tail = readiness.component("tail");
        assert!(!readiness.report().ready);

        redis.set(true);
        assert!(!readiness.report().ready);
        tail.set(true);
        assert!(readiness.report().ready);
        redis.set(false);
        assert_eq!(readiness.report().components, BTreeMap::from([("redis", false), ("tail", true)]));
        assert!(!readiness.report().ready);
    }

    #[test]
    fn never_ready_while_stopping() {
        let shutdown = Shutdown::without_signals();
        let readiness = Readiness::new(shutdown.clone());
        readiness.component("redis").set(true);

        shutdown.trigger();

        let report = readiness.report();
        assert!(!report.ready && report.stopping);
    }

    #[tokio::test]
    async fn a_follower_hears_each_change_until_the_end() {
        let shutdown = Shutdown::without_signals();
        let readiness = Readiness::new(shutdown.clone());
        let redis = readiness.component("redis");
        let mut changes = readiness.changes();

        assert_eq!(changes.next().await, Some(false));
        redis.set(true);
        assert_eq!(changes.next().await, Some(true));
        shutdown.trigger();
        redis.set(false);
        assert_eq!(changes.next().await, None);
    }
}
