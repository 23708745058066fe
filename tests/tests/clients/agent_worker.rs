//! The worker that users may copy, beyond what the SDK's client sees of it.

use a2a_proto::a2a::{Task, part::Content};
use a2a_tests::{clients, process::ServiceOptions};

use crate::stage::{Stage, start_worker, state};

const LEASE_MS: u64 = 500;

#[tokio::test]
async fn a_lease_is_kept_while_the_work_takes_longer() {
    let mut stage = with_short_leases().await;
    let task = stage.send(clients::send("slow 2")).await;
    assert_eq!(state(&task), "TASK_STATE_COMPLETED");
    let said = stage.worker.kill().await;
    let received = said.iter().filter(|line| line.contains(&task.id) && line.starts_with("received"));
    assert_eq!(received.count(), 1, "{said:?}");
}

#[tokio::test]
async fn work_goes_on_over_a_restart_of_the_service() {
    let mut stage = Stage::set().await;
    let task = stage.at_work().await;
    stage.service.restart().await;
    stage.worker.line_with("disconnected").await;
    stage.client = clients::a2a(stage.service.at.grpc).await;
    let answered = stage.send(clients::follow_up(&task, "go on")).await;
    assert_eq!((answer(&answered).as_str(), state(&answered)), ("You wrote: go on.", "TASK_STATE_COMPLETED"));
    let follow_up = stage.worker.line_with("WORK_KIND_FOLLOW_UP").await;
    assert!(follow_up.contains(&task.id), "{follow_up}");
}

#[tokio::test]
async fn work_of_a_killed_worker_goes_to_another() {
    let mut stage = with_short_leases().await;
    let task = stage.at_work().await;
    let other = start_worker("agent_worker.py", &stage.service).await;
    let killed = std::mem::replace(&mut stage.worker, other);
    killed.kill().await;
    let again = stage.worker.line_with("WORK_KIND_NEW_TASK").await;
    assert!(again.ends_with(&format!("{}, delivery 2", task.id)), "{again}");
    let answered = stage.send(clients::follow_up(&task, "go on")).await;
    assert_eq!(answer(&answered), "You wrote: go on.");
}

#[tokio::test]
async fn a_bug_of_the_agent_fails_the_task() {
    let mut stage = Stage::set().await;
    let task = stage.send(clients::send("slow soon")).await;
    assert_eq!(state(&task), "TASK_STATE_FAILED");
    stage.worker.line_with("ValueError").await;
}

async fn with_short_leases() -> Stage {
    Stage::set_with("agent_worker.py", ServiceOptions::default().flag("work-lease-ms", LEASE_MS)).await
}

/// The text of the only artifact.
fn answer(task: &Task) -> String {
    let [artifact] = task.artifacts.as_slice() else { panic!("one artifact, not {:?}", task.artifacts) };
    artifact
        .parts
        .iter()
        .map(|part| match &part.content {
            Some(Content::Text(text)) => text.as_str(),
            other => panic!("expected text, got {other:?}"),
        })
        .collect()
}
