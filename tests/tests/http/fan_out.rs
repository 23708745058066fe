//! Many readers of one task behind different doors see the same.

use a2a_proto::{
    a2a::{StreamResponse, Task, TaskState},
    agent::UpdateArtifactRequest,
};
use a2a_tests::clients;
use tokio::task::JoinHandle;

use crate::{
    driver::{Ask, all},
    events::{Events, gist},
    stage::Stage,
    streaming::subscribe,
};

/// Readers behind each door.
const READERS: usize = 4;

#[tokio::test]
async fn every_reader_sees_every_event_once_and_in_order() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let readers = readers(&stage, &task).await;
    work(&mut stage, &task).await;
    let mut seen = Vec::new();
    for reader in readers {
        seen.push(reader.await.unwrap());
    }
    let expected = ["WORKING", "artifact", "artifact", "artifact", "INPUT_REQUIRED", "WORKING", "COMPLETED"];
    assert_eq!(seen[0].iter().map(gist).collect::<Vec<_>>(), expected);
    assert!(seen.iter().all(|other| *other == seen[0]), "{seen:#?}");
    assert_eq!(seen.len(), 3 * READERS);
}

#[tokio::test]
async fn a_late_reader_begins_with_what_the_others_have_seen() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Working).await;
    stage.agent.update_artifact(chunk(&task, 0)).await.unwrap();
    let mut snapshots = Vec::new();
    for driver in stage.drivers().await {
        let mut events = driver.stream(Ask::Subscribe(subscribe(&task.id))).await.unwrap();
        snapshots.push(events.item().await);
    }
    assert_eq!(gist(&snapshots[0]), "task WORKING");
    assert!(snapshots.iter().all(|other| *other == snapshots[0]), "{snapshots:#?}");
}

/// Readers that have seen the task's snapshot.
async fn readers(stage: &Stage, task: &Task) -> Vec<JoinHandle<Vec<StreamResponse>>> {
    let mut readers = Vec::new();
    for driver in stage.drivers().await {
        for _ in 0..READERS {
            let mut events: Events = driver.stream(Ask::Subscribe(subscribe(&task.id))).await.unwrap();
            assert_eq!(gist(&events.item().await), "task SUBMITTED");
            readers.push(tokio::spawn(all(events)));
        }
    }
    readers
}

async fn work(stage: &mut Stage, task: &Task) {
    stage.move_to(task, TaskState::Working).await;
    for number in 0..3 {
        stage.agent.update_artifact(chunk(task, number)).await.unwrap();
    }
    for state in [TaskState::InputRequired, TaskState::Working, TaskState::Completed] {
        stage.move_to(task, state).await;
    }
}

fn chunk(task: &Task, number: usize) -> UpdateArtifactRequest {
    UpdateArtifactRequest {
        id: task.id.clone(),
        artifact: Some(clients::text_artifact("a", &format!("chunk {number} "))),
        append: number > 0,
        last_chunk: number == 2,
        ..UpdateArtifactRequest::default()
    }
}
