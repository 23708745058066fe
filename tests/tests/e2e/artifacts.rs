//! What is stored of an artifact, and what its events told, agree.

use a2a_proto::{
    a2a::{Artifact, StreamResponse, stream_response::Payload},
    agent::UpdateArtifactRequest,
};
use tonic::Code;

use crate::{
    calls::{append, assert_refused, get, put, recorded, subscribe},
    stage::{Stage, all, text, transition},
};

#[tokio::test]
async fn a_put_creates_and_then_replaces() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for version in ["draft", "final"] {
        stage.agent.update_artifact(put(&task, "a", version)).await.unwrap();
        assert_eq!(stored(&mut stage, &task.id).await, [("a".to_owned(), version.to_owned())]);
    }
}

#[tokio::test]
async fn an_append_creates_and_then_adds() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for (chunk, whole) in [("1", "1"), ("2", "12"), ("3", "123")] {
        stage.agent.update_artifact(append(&task, "a", chunk)).await.unwrap();
        assert_eq!(stored(&mut stage, &task.id).await, [("a".to_owned(), whole.to_owned())]);
    }
}

#[tokio::test]
async fn artifacts_keep_the_order_in_which_they_appeared() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for (id, chunk) in [("z", "1"), ("a", "1"), ("m", "1"), ("z", "2"), ("a", "2")] {
        stage.agent.update_artifact(append(&task, id, chunk)).await.unwrap();
    }
    let stored = stored(&mut stage, &task.id).await;
    let stored: Vec<_> = stored.iter().map(|(id, whole)| (id.as_str(), whole.as_str())).collect();
    assert_eq!(stored, [("z", "12"), ("a", "12"), ("m", "1")]);
}

#[tokio::test]
async fn after_the_last_chunk_an_append_is_refused_and_a_put_starts_anew() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let last = UpdateArtifactRequest { last_chunk: true, ..append(&task, "a", "1") };
    stage.agent.update_artifact(last).await.unwrap();
    let before = recorded(&stage.redis, &task.id).await;
    let refused = stage.agent.update_artifact(append(&task, "a", "2")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "INVALID_ARGUMENT");
    assert_eq!(recorded(&stage.redis, &task.id).await, before);
    stage.agent.update_artifact(put(&task, "a", "new")).await.unwrap();
    stage.agent.update_artifact(append(&task, "a", "er")).await.unwrap();
    assert_eq!(stored(&mut stage, &task.id).await, [("a".to_owned(), "newer".to_owned())]);
}

#[tokio::test]
async fn events_say_what_was_asked() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.update_artifact(append(&task, "a", "2")).await.unwrap();
    let last = UpdateArtifactRequest { last_chunk: true, ..append(&task, "a", "3") };
    stage.agent.update_artifact(last).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let told: Vec<_> =
        all(events).await.iter().filter_map(chunk).map(|(_, append, last)| (append, last)).collect();
    assert_eq!(told, [(false, false), (true, false), (true, true)]);
}

#[tokio::test]
async fn what_is_stored_and_what_was_told_agree() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    for n in 0..30 {
        let (id, chunk) = (["a", "b", "c"][n % 3], n.to_string());
        let request = if n % 7 == 0 { put(&task, id, &chunk) } else { append(&task, id, &chunk) };
        stage.agent.update_artifact(request).await.unwrap();
    }
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let mut told: Vec<Artifact> = Vec::new();
    for (artifact, append, _) in all(events).await.iter().filter_map(chunk) {
        match told.iter_mut().find(|held| held.artifact_id == artifact.artifact_id) {
            Some(held) if append => held.parts.extend(artifact.parts),
            Some(held) => *held = artifact,
            None => told.push(artifact),
        }
    }
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found.artifacts, told);
}

/// The artifacts of a task as ids and text.
async fn stored(stage: &mut Stage, task: &str) -> Vec<(String, String)> {
    let artifacts = stage.client.get_task(get(task)).await.expect("the task").into_inner().artifacts;
    let whole = |artifact: &Artifact| artifact.parts.iter().map(text).collect();
    artifacts.iter().map(|artifact| (artifact.artifact_id.clone(), whole(artifact))).collect()
}

/// The chunk of an event, whether it is added, and whether it is the last.
fn chunk(item: &StreamResponse) -> Option<(Artifact, bool, bool)> {
    match item.payload.as_ref()? {
        Payload::ArtifactUpdate(update) => Some((update.artifact.clone()?, update.append, update.last_chunk)),
        _ => None,
    }
}
