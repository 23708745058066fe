//! UpdateArtifact: artifacts, whole and in chunks.

use a2a_proto::{
    a2a::{StreamResponse, SubscribeToTaskRequest, Task, TaskState, stream_response::Payload},
    agent::UpdateArtifactRequest,
};
use a2a_tests::{clients, process::ServiceOptions};
use tonic::Code;

use crate::{
    inspect::fingerprint,
    moves::{STATES, check_conflict, get, in_state, metadata, revision_in},
    stage::{Stage, next, text},
};

#[tokio::test]
async fn updated_in_every_live_state() {
    let mut stage = Stage::set().await;
    for held in STATES.into_iter().filter(|held| !is_terminal(*held)) {
        let task = in_state(&mut stage, held).await;
        let subscribe = SubscribeToTaskRequest { id: task.id.clone(), ..SubscribeToTaskRequest::default() };
        let mut events = stage.client.subscribe_to_task(subscribe).await.expect("subscribe").into_inner();
        next(&mut events).await;
        let sent =
            UpdateArtifactRequest { metadata: Some(metadata("why", "because")), ..chunk(&task, "x", false) };
        let answer = stage.agent.update_artifact(sent.clone()).await.expect("update").into_inner();
        assert_eq!(answer.revision, revision_in(&stage, &task).await);
        let stored = get(&mut stage, &task).await;
        assert_eq!(stored.artifacts, [sent.artifact.clone().expect("an artifact")]);
        assert_eq!(stored.status.expect("a status").state(), held, "the state does not move");
        check_event(&next(&mut events).await, &task, &sent);
    }
}

#[tokio::test]
async fn chunks_are_added_and_a_whole_one_replaces_them() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for (part, append, held) in [("a", true, "a"), ("b", true, "ab"), ("c", false, "c"), ("d", true, "cd")] {
        stage.agent.update_artifact(chunk(&task, part, append)).await.expect("a chunk");
        assert_eq!(texts(&get(&mut stage, &task).await), held);
    }
}

#[tokio::test]
async fn nothing_is_added_after_the_last_chunk() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let last = UpdateArtifactRequest { last_chunk: true, ..chunk(&task, "a", true) };
    stage.agent.update_artifact(last).await.expect("the last chunk");
    let before = fingerprint(&stage.redis).await;
    let refused = stage.agent.update_artifact(chunk(&task, "b", true)).await.expect_err("a refusal");
    assert_eq!(
        (refused.code(), clients::reason(&refused).as_str()),
        (Code::InvalidArgument, "INVALID_ARGUMENT")
    );
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    stage.agent.update_artifact(chunk(&task, "c", false)).await.expect("a new one takes its place");
    assert_eq!(texts(&get(&mut stage, &task).await), "c");
}

#[tokio::test]
async fn wrong_state() {
    let mut stage = Stage::set().await;
    for held in STATES.into_iter().filter(|held| is_terminal(*held)) {
        let task = in_state(&mut stage, held).await;
        let before = fingerprint(&stage.redis).await;
        let refused = stage.agent.update_artifact(chunk(&task, "x", false)).await.expect_err("a refusal");
        check_conflict(&refused, held);
        before.assert_unchanged(&fingerprint(&stage.redis).await);
    }
}

#[tokio::test]
async fn late_artifacts_are_taken_where_the_deployment_says_so() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("late-artifacts", "accept")).await;
    for held in STATES.into_iter().filter(|held| is_terminal(*held)) {
        let task = in_state(&mut stage, held).await;
        stage.agent.update_artifact(chunk(&task, "late", false)).await.expect("update");
        let stored = get(&mut stage, &task).await;
        assert_eq!(texts(&stored), "late");
        assert_eq!(stored.status.expect("a status").state(), held, "the state does not move");
    }
}

#[tokio::test]
async fn not_found() {
    let mut stage = Stage::set().await;
    stage.submitted("another").await;
    let before = fingerprint(&stage.redis).await;
    let nobody = Task { id: "nobody".to_owned(), ..Task::default() };
    let refused = stage.agent.update_artifact(chunk(&nobody, "x", false)).await.expect_err("a refusal");
    assert_eq!((refused.code(), clients::reason(&refused).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

fn chunk(task: &Task, text: &str, append: bool) -> UpdateArtifactRequest {
    let artifact = Some(clients::text_artifact("artifact", text));
    UpdateArtifactRequest { id: task.id.clone(), artifact, append, ..UpdateArtifactRequest::default() }
}

fn texts(task: &Task) -> String {
    task.artifacts.iter().flat_map(|artifact| &artifact.parts).map(text).collect()
}

fn is_terminal(held: TaskState) -> bool {
    use TaskState::{Canceled, Completed, Failed, Rejected};
    matches!(held, Completed | Failed | Rejected | Canceled)
}

#[track_caller]
fn check_event(event: &StreamResponse, task: &Task, sent: &UpdateArtifactRequest) {
    let Some(Payload::ArtifactUpdate(update)) = &event.payload else {
        panic!("no artifact update: {event:?}")
    };
    assert_eq!((&update.task_id, &update.context_id), (&task.id, &task.context_id));
    assert_eq!((&update.artifact, &update.metadata), (&sent.artifact, &sent.metadata));
    assert_eq!((update.append, update.last_chunk), (sent.append, sent.last_chunk));
}
