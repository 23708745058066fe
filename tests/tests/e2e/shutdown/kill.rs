//! SIGKILL under load: what was answered OK is there.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use a2a_proto::a2a::Task;
use a2a_tests::{
    clients::{self, A2aClient},
    seed::Seed,
    until,
};
use tokio::task::JoinSet;

use crate::{
    moves::get,
    stage::{SOON, Stage, task, text},
};

const ROUNDS: usize = 4;
const SENDERS: usize = 8;
/// Most answers before a kill.
const ANSWERS: usize = 150;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_answered_is_lost() {
    let mut moments = Seed::from_env().rng("kill");
    let mut stage = Stage::set().await;
    let mut answered: Vec<(String, Task)> = Vec::new();
    for round in 0..ROUNDS {
        answered.extend(send_until_killed(&mut stage, round, moments.usize(1..ANSWERS)).await);
        stage.service.restart().await;
    }
    println!("{} answers over {ROUNDS} kills", answered.len());
    for (said, sent) in &answered {
        let held = get(&mut stage, sent).await;
        assert_eq!(&held, sent);
        assert_eq!(text(&held.history[0].parts[0]), said);
    }
}

/// Many senders, and a kill once so many were answered.
async fn send_until_killed(stage: &mut Stage, round: usize, answers: usize) -> Vec<(String, Task)> {
    let count = Arc::new(AtomicUsize::new(0));
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let client = clients::a2a(stage.service.at.grpc).await;
        senders.spawn(send_until_gone(client, format!("{round}.{sender}"), Arc::clone(&count)));
    }
    until("enough answers", SOON, async || (count.load(Ordering::SeqCst) >= answers).then_some(())).await;
    stage.service.kill().await;
    senders.join_all().await.into_iter().flatten().collect()
}

async fn send_until_gone(
    mut client: A2aClient,
    name: String,
    count: Arc<AtomicUsize>,
) -> Vec<(String, Task)> {
    let mut answered = Vec::new();
    loop {
        let said = format!("{name}.{}", answered.len());
        let Ok(answer) = client.send_message(clients::send_and_return(&said)).await else { return answered };
        answered.push((said, task(answer.into_inner())));
        count.fetch_add(1, Ordering::SeqCst);
    }
}
