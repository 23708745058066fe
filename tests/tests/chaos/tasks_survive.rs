//! What was answered is there, and streams miss nothing, although replicas of the
//! task service and Redis are killed in between.

mod follower;
mod kept;

use a2a_tests::{
    clients,
    process::{ServiceOptions, TaskService},
    redis::{AppendOnly, RedisOptions, RedisServer},
    seed::Seed,
};
use futures::{StreamExt as _, stream};

use self::follower::{Followed, follow};
use crate::{
    doors::Doors,
    machine,
    moments::moments,
    size::sized,
    walk::{Step, Walk},
};

const REPLICAS: usize = 2;
const AT_ONCE: usize = 12;
/// Commands of one task, its send included.
const COMMANDS: usize = 14;

#[tokio::test]
async fn what_was_answered_is_there() {
    let _machine = machine::shared().await;
    let seed = Seed::from_env();
    let options = RedisOptions { append_only: AppendOnly::Always, ..RedisOptions::default() };
    let mut redis = RedisServer::start(options).await;
    let mut services = Vec::new();
    for _ in 0..REPLICAS {
        services.push(TaskService::start(&redis, ServiceOptions::default()).await);
    }
    let doors = Doors::open(&services.iter().collect::<Vec<_>>()).await;
    let tasks = sized(60, 400);
    let (walks, kills) =
        tokio::join!(walk_all(&doors, tasks), break_things(&mut redis, &mut services, &doors, tasks, seed),);
    let mut resumed = 0;
    for (walk, followed) in &walks {
        kept::check_task(walk, &walk.read(&doors).await);
        followed.check(walk);
        resumed += followed.resumed;
    }
    let walks: Vec<Walk> = walks.into_iter().map(|(walk, _)| walk).collect();
    let events = kept::check_logs(&redis, &walks).await;
    println!(
        "tasks_survive: {} commands of {tasks} tasks answered and kept, {events} events in the logs without gap or \
         double, {resumed} streams resumed; {kills} kills of {REPLICAS} replicas and redis",
        doors.counted(),
    );
}

async fn walk_all(doors: &Doors, tasks: usize) -> Vec<(Walk, Followed)> {
    let walks = stream::iter(0..tasks).map(|number| async move {
        let request = clients::send_and_return(&format!("task {number}"));
        let walk = Walk::begin(doors, &format!("task-{number}"), request).await;
        let id = walk.task.id.clone();
        tokio::join!(walk_on(doors, walk, number), follow(doors, id))
    });
    walks.buffer_unordered(AT_ONCE).collect().await
}

async fn walk_on(doors: &Doors, mut walk: Walk, number: usize) -> Walk {
    let chunk = |at: usize| Step::Chunk(format!("[{number}.{at}]"));
    let first_turn =
        [Step::Start, chunk(1), Step::Progress("one".into()), chunk(2), Step::Ask("which?".into())];
    let second_turn =
        [Step::Answer("this".into()), Step::Start, chunk(3), chunk(4), Step::Answer("and this".into())];
    let end = [chunk(5), Step::Progress("two".into()), Step::Complete("done".into())];
    for step in first_turn.into_iter().chain(second_turn).chain(end) {
        walk.step(doors, step).await;
    }
    walk
}

/// Kills a replica or Redis at random moments, and starts it again.
async fn break_things(
    redis: &mut RedisServer,
    services: &mut [TaskService],
    doors: &Doors,
    tasks: usize,
    seed: Seed,
) -> usize {
    let mut rng = seed.rng("faults");
    let moments = moments(&mut rng, sized(6, 24), tasks * COMMANDS, (5, 90));
    let kills = moments.len();
    for moment in moments {
        doors.await_count(moment).await;
        match rng.usize(..=services.len()) {
            replica if replica < services.len() => services[replica].restart().await,
            _ => redis.restart().await,
        }
    }
    kills
}
