//! What webhooks are owed of many walks, and what each event must say.

use std::{collections::HashMap, time::Duration};

use a2a_tests::{
    ledger::{Ledger, Owed, Summary},
    receiver::{Recorded, WebhookReceiver},
};

use crate::{gist::gist, walk::Walk};

/// How long the last deliveries may take.
const SETTLING: Duration = Duration::from_secs(300);

/// The books of a run.
#[derive(Default)]
pub(crate) struct Books {
    ledger: Ledger,
    gists: HashMap<(String, i64), String>,
}

impl Books {
    /// Every event of `walk` is owed to each of `configs`.
    pub(crate) fn owe(&mut self, walk: &Walk, configs: &[&str]) {
        let owed: Vec<i64> = walk.seen().map(|(revision, _)| revision).collect();
        for config in configs {
            self.ledger.owe(&walk.task.id, config, owed.iter().copied().map(Owed::Revision));
        }
        let gists = walk.seen().map(|(revision, gist)| ((walk.task.id.clone(), revision), gist));
        self.gists.extend(gists);
    }

    /// Waits until each receiver, one a config, has accepted as many events as
    /// it is owed, and answers all requests.
    pub(crate) async fn settled(&self, receivers: &[&WebhookReceiver]) -> Vec<Recorded> {
        let each = self.ledger.events() / receivers.len();
        let mut recorded = Vec::new();
        for receiver in receivers {
            recorded.extend(receiver.await_events(each, SETTLING).await);
        }
        recorded
    }

    /// Nothing lost, nothing else, in order, and each event as it was made.
    pub(crate) fn check(&self, recorded: &[Recorded]) -> Summary {
        for request in recorded {
            let revision = request.sequence().expect("a sequence");
            let event = request.event.as_ref().expect("an event");
            let expected = self.gists.get(&(request.task_id().to_owned(), revision));
            assert_eq!(Some(&gist(event)), expected, "revision {revision} of {}", request.task_id());
        }
        self.ledger.check(recorded).unwrap_or_else(|faults| panic!("the books differ:\n{faults}"))
    }
}
