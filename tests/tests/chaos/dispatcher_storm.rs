//! Several dispatchers under a storm: kills, stops beyond the lease, and kills of
//! Redis, at random moments, with slow and failing receivers.

use std::time::Duration;

use a2a_tests::{
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, Recorded, WebhookReceiver},
    redis::{AppendOnly, RedisOptions, RedisServer},
    seed::Seed,
    until,
};

use crate::{
    calls::PATIENCE,
    doors::Doors,
    drive::{Load, drive, killable},
    interrupted::{Interruption, check_duplicates, open},
    machine,
    moments::moments,
    size::sized,
};

const DISPATCHERS: usize = 3;
const LONGEST_ANSWER: Duration = Duration::from_millis(300);
const FAILING: f64 = 0.2;
/// After a death, what it had under way is sent again.
const REDELIVERY: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Kill,
    Stop,
    Redis,
}

#[tokio::test]
async fn nothing_is_lost_in_a_storm() {
    let _machine = machine::shared().await;
    let seed = Seed::from_env();
    let load = Load { tasks: sized(50, 500), events: 20 };
    let options = RedisOptions { append_only: AppendOnly::Always, ..RedisOptions::default() };
    let redis = RedisServer::start(options).await;
    let service = TaskService::start(&redis, ServiceOptions::default()).await;
    let mut dispatchers = Vec::new();
    for _ in 0..DISPATCHERS {
        dispatchers.push(Dispatcher::start(&redis, killable()).await);
    }
    let receivers = [rough("one", seed).await, rough("two", seed).await];
    let doors = Doors::open(&[&service]).await;
    let mut storm = Storm { redis, dispatchers, rng: seed.rng("faults"), interruptions: Vec::new() };
    let (books, ()) = tokio::join!(
        drive(&doors, load, [&receivers[0], &receivers[1]]),
        storm.rage(&receivers[0], load.owed()),
    );
    let recorded = books.settled(&[&receivers[0], &receivers[1]]).await;
    let summary = books.check(&recorded);
    assert_eq!(check_duplicates(&recorded, &storm.interruptions), summary.duplicates);
    let silence = storm.longest_silence(&receivers);
    assert!(silence < REDELIVERY, "a lane was silent for {silence:?} after a death");
    let open: usize = storm.interruptions.iter().map(|interruption| interruption.open.len()).sum();
    println!(
        "dispatcher_storm: {summary}; {} kills and stops of {DISPATCHERS} dispatchers with {open} attempts under \
         way; redelivery after {silence:?} at most",
        storm.interruptions.len(),
    );
}

async fn rough(name: &str, seed: Seed) -> WebhookReceiver {
    let rng = seed.rng(name);
    WebhookReceiver::start(Behaviour::Rough { longest: LONGEST_ANSWER, failing: FAILING, rng }).await
}

struct Storm {
    redis: RedisServer,
    dispatchers: Vec<Dispatcher>,
    rng: fastrand::Rng,
    interruptions: Vec<Interruption>,
}

impl Storm {
    async fn rage(&mut self, receiver: &WebhookReceiver, events: usize) {
        let mut faults = [
            vec![Fault::Kill; sized(4, 20)],
            vec![Fault::Stop; sized(1, 3)],
            vec![Fault::Redis; sized(1, 3)],
        ]
        .concat();
        self.rng.shuffle(&mut faults);
        let moments = moments(&mut self.rng, faults.len(), events, (3, 85));
        for (fault, moment) in faults.into_iter().zip(moments) {
            receiver.await_count(moment, PATIENCE).await;
            self.strike(fault, receiver.elapsed()).await;
        }
    }

    async fn strike(&mut self, fault: Fault, at: Duration) {
        let victim = self.rng.usize(..self.dispatchers.len());
        match fault {
            Fault::Redis => self.redis.restart().await,
            Fault::Kill => {
                self.dispatchers[victim].kill().await;
                self.interruptions.push(Interruption::now(&self.redis, at).await);
                self.dispatchers[victim].restart().await;
            }
            Fault::Stop => {
                self.dispatchers[victim].pause();
                let interruption = Interruption::now(&self.redis, at).await;
                self.outlast(&interruption).await;
                self.dispatchers[victim].resume();
                self.interruptions.push(interruption);
            }
        }
    }

    /// Waits until nothing is held any more under the leases of that moment.
    async fn outlast(&self, interruption: &Interruption) {
        until("the leases of the stopped one are over", PATIENCE, || async {
            let held = open(&self.redis).await;
            interruption.open.iter().all(|attempt| !held.contains(attempt)).then_some(())
        })
        .await;
    }

    /// The receivers started together, so that their clocks agree well enough.
    fn longest_silence(&self, receivers: &[WebhookReceiver; 2]) -> Duration {
        let recorded: Vec<Recorded> = receivers.iter().flat_map(WebhookReceiver::recorded).collect();
        let silences = self.interruptions.iter().map(|interruption| interruption.longest_silence(&recorded));
        silences.max().unwrap_or_default()
    }
}
