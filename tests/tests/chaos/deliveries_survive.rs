//! Every event reaches every webhook although its dispatcher and Redis are
//! killed in between. At full size in every run.

use a2a_tests::{
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, WebhookReceiver},
    redis::{AppendOnly, RedisOptions, RedisServer},
    seed::Seed,
};

use crate::{
    calls::PATIENCE,
    doors::Doors,
    drive::{Load, drive, killable},
    interrupted::{Interruption, check_duplicates},
    machine,
    moments::moments,
};

const LOAD: Load = Load { tasks: 200, events: 8 };
const KILLS: usize = 5;
const FAILING: f64 = 0.2;

#[tokio::test]
async fn every_event_reaches_every_webhook() {
    let _machine = machine::shared().await;
    let seed = Seed::from_env();
    let options = RedisOptions { append_only: AppendOnly::Always, ..RedisOptions::default() };
    let mut redis = RedisServer::start(options).await;
    let service = TaskService::start(&redis, ServiceOptions::default()).await;
    let mut dispatcher = Dispatcher::start(&redis, killable()).await;
    let steady = WebhookReceiver::start(Behaviour::Accept).await;
    let shaky = WebhookReceiver::start(Behaviour::FailFraction(FAILING, seed.rng("receiver"))).await;
    let doors = Doors::open(&[&service]).await;
    let (books, interruptions) = tokio::join!(
        drive(&doors, LOAD, [&steady, &shaky]),
        break_things(&mut redis, &mut dispatcher, &shaky, seed),
    );
    let recorded = books.settled(&[&steady, &shaky]).await;
    let summary = books.check(&recorded);
    let duplicates = check_duplicates(&recorded, &interruptions);
    assert_eq!(duplicates, summary.duplicates);
    let open: usize = interruptions.iter().map(|interruption| interruption.open.len()).sum();
    println!(
        "deliveries_survive: {summary}; {KILLS} kills of the dispatcher, 1 of redis, {open} attempts interrupted"
    );
}

/// Kills the dispatcher at random moments, and Redis at one of them.
async fn break_things(
    redis: &mut RedisServer,
    dispatcher: &mut Dispatcher,
    receiver: &WebhookReceiver,
    seed: Seed,
) -> Vec<Interruption> {
    let mut rng = seed.rng("faults");
    let redis_falls = rng.usize(..=KILLS);
    let mut interruptions = Vec::new();
    for (number, moment) in moments(&mut rng, KILLS + 1, LOAD.owed(), (3, 85)).into_iter().enumerate() {
        receiver.await_count(moment, PATIENCE).await;
        if number == redis_falls {
            redis.restart().await;
            continue;
        }
        let at = receiver.elapsed();
        dispatcher.kill().await;
        interruptions.push(Interruption::now(redis, at).await);
        dispatcher.restart().await;
    }
    interruptions
}
