//! Workers that die in the middle of a task: another takes it over, and no two
//! act on it in turns.

mod worker;

use std::collections::BTreeMap;

use a2a_proto::a2a::Task;
use a2a_tests::{
    clients::{self, push_config, with_push},
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, Recorded, WebhookReceiver},
    redis::{RedisOptions, RedisServer},
    seed::Seed,
};
use futures::future::join_all;

use self::worker::{Crew, Handed, Nature};
use crate::{
    calls::PATIENCE,
    doors::Doors,
    gist::{gist, state, texts},
    machine,
    size::sized,
    walk::Walk,
};

/// Short, so that a test outlives many.
const LEASE_MS: u64 = 1_000;
const WORKERS: usize = 8;
const MAX_DELIVERIES: usize = 3;

#[tokio::test]
async fn every_task_ends_and_none_has_two_workers() {
    let _machine = machine::shared().await;
    let seed = Seed::from_env();
    let redis = RedisServer::start(RedisOptions::default()).await;
    // More deaths than any task meets: what is given up is another test's.
    let service = TaskService::start(&redis, options(1_000)).await;
    let doors = Doors::open(&[&service]).await;
    let tasks = sized(60, 400);
    let sent = join_all((0..tasks).map(|number| {
        let request = clients::send_and_return(&format!("task {number}"));
        let doors = &doors;
        async move { Walk::begin(doors, &format!("task-{number}"), request).await }
    }))
    .await;
    let crew = Crew::new(&service);
    let workers =
        (0..WORKERS).map(|number| crew.work(Nature::Mortal, seed.rng(&format!("worker {number}")), tasks));
    let handed: Vec<Handed> = join_all(workers).await.into_iter().flatten().collect();
    for walk in &sent {
        check_task(&walk.read(&doors).await, &handed);
    }
    let (again, deaths) = (handed.len() - tasks, handed.iter().filter(|handed| handed.died).count());
    assert_eq!(again, deaths, "each death is one more delivery, and nothing else is");
    println!(
        "workers_die: {tasks} tasks ended, {deaths} workers died at work, {again} redeliveries, no two holders in turns"
    );
}

#[tokio::test]
async fn a_task_whose_workers_always_die_is_failed() {
    let _machine = machine::shared().await;
    let redis = RedisServer::start(RedisOptions::default()).await;
    let service = TaskService::start(&redis, options(MAX_DELIVERIES)).await;
    let _dispatcher = Dispatcher::start(&redis, ServiceOptions::default()).await;
    let receiver = WebhookReceiver::start(Behaviour::Accept).await;
    let doors = Doors::open(&[&service]).await;
    let config = push_config("one", &receiver.url("/hooks/one"));
    let request = with_push(clients::send_and_return("hello"), config);
    let walk = Walk::begin(&doors, "task", request).await;
    let (seed, crew) = (Seed::from_env(), Crew::new(&service));
    // They go on until the webhook has said that the task is over.
    let handed = tokio::select! {
        handed = crew.work(Nature::Doomed(MAX_DELIVERIES), seed.rng("doomed"), usize::MAX) => handed,
        () = async { receiver.await_until("the end", PATIENCE, is_failed).await; } => panic!("not so soon"),
    };
    let deliveries: Vec<i32> = handed.iter().map(|handed| handed.delivery).collect();
    assert_eq!(deliveries, [1, 2, 3]);
    // Somebody must look for work to find that it was given up too often.
    let patient = crew.work(Nature::Idle, seed.rng("idle"), usize::MAX);
    let recorded = tokio::select! {
        recorded = receiver.await_until("the end", PATIENCE, is_failed) => recorded,
        handed = patient => panic!("nothing is handed out any more, but {handed:?}"),
    };
    let last = gist(recorded.last().expect("an event").event.as_ref().expect("an event"));
    assert_eq!(
        last,
        format!(
            "TASK_STATE_FAILED given up: {MAX_DELIVERIES} workers took the task and none finished its turn"
        )
    );
    assert_eq!(state(&walk.read(&doors).await), "TASK_STATE_FAILED");
    println!("workers_die: given up after {MAX_DELIVERIES} workers, and its webhook says so");
}

fn options(max_deliveries: usize) -> ServiceOptions {
    ServiceOptions::default().flag("work-lease-ms", LEASE_MS).flag("work-max-deliveries", max_deliveries)
}

fn is_failed(recorded: &[Recorded]) -> bool {
    let says = |request: &Recorded| request.event.as_ref().is_ok_and(|event| gist(event).contains("FAILED"));
    recorded.iter().any(|request| request.succeeded() && says(request))
}

/// The artifact holds the token under which each chunk was accepted: those of one
/// holder stand together, in the order in which the task was handed out, and the
/// deliveries are numbered one after the other.
#[track_caller]
fn check_task(task: &Task, handed: &[Handed]) {
    assert_eq!(state(task), "TASK_STATE_COMPLETED", "{}", task.id);
    let of_task = handed.iter().filter(|handed| handed.task == task.id);
    let by_delivery: BTreeMap<i32, &Handed> =
        of_task.clone().map(|handed| (handed.delivery, handed)).collect();
    let deliveries: Vec<i32> = by_delivery.keys().copied().collect();
    let every: Vec<i32> = (1..=i32::try_from(of_task.count()).expect("few")).collect();
    assert_eq!(deliveries, every, "deliveries of {}", task.id);
    let accepted = task.artifacts.iter().flat_map(|artifact| &artifact.parts);
    let mut holders: Vec<String> = accepted.map(|part| texts(std::slice::from_ref(part))).collect();
    holders.dedup();
    let in_order: Vec<&str> = by_delivery.values().map(|handed| handed.token.as_str()).collect();
    let places: Vec<Option<usize>> =
        holders.iter().map(|holder| in_order.iter().position(|token| token == holder)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} of {}", task.id);
    assert_eq!(
        places.last().copied().flatten(),
        Some(in_order.len() - 1),
        "the last one finished {}",
        task.id
    );
}
