//! Going on with a stream after the revision that its caller has seen.

use a2a_proto::a2a::{StreamResponse, Task, stream_response::Payload};
use a2a_tests::{
    clients::{A2aClient, AgentClient},
    process::ServiceOptions,
};
use prost_types::{Struct, value::Kind};
use tonic::{Code, Status, Streaming};

use crate::{
    calls::{
        append, assert_bad_field, assert_refused, put, saying, subscribe, with_extensions, with_metadata,
    },
    stage::{Replica, SOON, Stage, all, gist, next, transition},
};

pub(crate) const REVISION: &str = "urn:a2a-tasks:revision:v1";

/// More than a log of 100 keeps: Redis trims it by whole nodes of 100.
const MANY: usize = 250;

/// Fills a task's log until its beginning is lost.
pub(crate) async fn outgrow_the_log(agent: &mut AgentClient, task: &Task) {
    let task = task.clone();
    let chunks = (0..MANY).map(move |number| append(&task, "a", &number.to_string()));
    agent.update_artifacts(futures::stream::iter(chunks)).await.expect("chunks");
}

#[tokio::test]
async fn what_was_missed_comes_without_a_snapshot_on_any_replica_and_after_a_restart() {
    let mut stage = Stage::set().await;
    let mut other = Replica::start(&stage.redis, ServiceOptions::default()).await;
    let task = stage.working("hello").await;
    for chunk in ["1", "2", "3"] {
        stage.agent.update_artifact(append(&task, "a", chunk)).await.unwrap();
    }
    let missed = [Vec::new(), vec!["artifact 3"], vec!["artifact 2", "artifact 3"]];
    for (after, missed) in [5, 4, 3].into_iter().zip(missed) {
        let (resumed, mut here) = resume(&mut stage.client, &task, after).await.unwrap();
        let (elsewhere, mut there) = resume(&mut other.client, &task, after).await.unwrap();
        assert_eq!((resumed.as_str(), elsewhere.as_str()), ("true", "true"));
        for missed in &missed {
            assert_eq!(
                (gist(&next(&mut here).await), gist(&next(&mut there).await)),
                (missed.to_string(), missed.to_string())
            );
        }
    }
    other.service.restart().await;
    let (resumed, events) = resume(&mut other.client, &task, 3).await.unwrap();
    let (_, live) = resume(&mut stage.client, &task, 5).await.unwrap();
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(resumed, "true");
    let later = ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"];
    assert_eq!(gists(events).await, [&["artifact 2", "artifact 3"], &later[..]].concat());
    assert_eq!(gists(live).await, later);
}

#[tokio::test]
async fn a_stream_resumed_anywhere_sees_exactly_the_rest() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let whole = stage.client.subscribe_to_task(with_extensions(REVISION, subscribe(&task.id))).await.unwrap();
    stage.agent.start_working(transition(&task)).await.unwrap();
    for chunk in 0..20 {
        stage.agent.update_artifact(append(&task, "a", &chunk.to_string())).await.unwrap();
        stage.agent.report_progress(saying(&task, &chunk.to_string())).await.unwrap();
    }
    stage.agent.fail_task(transition(&task)).await.unwrap();
    let whole = all(whole.into_inner()).await;
    for (place, item) in whole.iter().enumerate().take(whole.len() - 1) {
        let after = revision(item).expect("a revision");
        let (resumed, rest) = resume_with(&mut stage.client, &task, after, REVISION).await.unwrap();
        assert_eq!(resumed, "true", "after {after}");
        assert_eq!(all(rest).await, whole[place + 1..], "after {after}");
    }
}

#[tokio::test]
async fn a_log_that_does_not_reach_back_begins_with_a_snapshot() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("log-max-events", 100)).await;
    let task = stage.working("hello").await;
    outgrow_the_log(&mut stage.agent, &task).await;
    let (resumed, mut events) = resume(&mut stage.client, &task, 3).await.unwrap();
    assert_eq!(resumed, "false");
    assert!(gist(&next(&mut events).await).starts_with("task "));
    let (resumed, mut near) = resume(&mut stage.client, &task, MANY as u64).await.unwrap();
    assert_eq!(resumed, "true");
    assert_eq!(gist(&next(&mut near).await), format!("artifact {}", MANY - 2));
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(gists(events).await, ["TASK_STATE_COMPLETED"]);
    let (resumed, events) = resume(&mut stage.client, &task, MANY as u64 + 2).await.unwrap();
    assert_eq!((resumed.as_str(), gists(events).await), ("true", vec!["TASK_STATE_COMPLETED".to_owned()]));
    let refused = resume(&mut stage.client, &task, 3).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn the_rest_of_a_finished_task_comes_and_then_nothing() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    for (after, rest) in [(2, vec!["artifact 1", "TASK_STATE_COMPLETED"]), (3, vec!["TASK_STATE_COMPLETED"])]
    {
        let (resumed, events) = resume(&mut stage.client, &task, after).await.unwrap();
        assert_eq!(
            (resumed.as_str(), gists(events).await),
            ("true", rest.into_iter().map(str::to_owned).collect())
        );
    }
    for after in [4, 5, u64::MAX] {
        let refused = resume(&mut stage.client, &task, after).await.unwrap_err();
        assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    }
}

#[tokio::test]
async fn an_artifact_that_came_late_is_no_rest() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("late-artifacts", "accept")).await;
    let task = stage.working("hello").await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    let refused = resume(&mut stage.client, &task, 3).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let (_, events) = resume(&mut stage.client, &task, 2).await.unwrap();
    assert_eq!(gists(events).await, ["TASK_STATE_COMPLETED"], "the stream ends with the task");
}

#[tokio::test]
async fn a_revision_that_is_yet_to_come_begins_with_a_snapshot() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for after in [3, u64::MAX] {
        let (resumed, mut events) = resume(&mut stage.client, &task, after).await.unwrap();
        assert_eq!(resumed, "false");
        assert_eq!(gist(&next(&mut events).await), "task TASK_STATE_WORKING");
    }
}

#[tokio::test]
async fn what_is_no_revision_is_refused() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for value in ["", "x", "-1", "1.5", "18446744073709551616"] {
        let request = with_metadata("a2a-resume-after", value, subscribe(&task.id));
        let refused = stage.client.subscribe_to_task(request).await.unwrap_err();
        assert_bad_field(&refused, "a2a-resume-after");
    }
}

#[tokio::test]
async fn who_does_not_resume_is_told_nothing_of_it() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap();
    assert!(!events.metadata().contains_key("a2a-resumed"));
}

#[tokio::test]
async fn a_stream_that_the_service_broke_says_where_to_go_on() {
    let mut stage = Stage::set().await;
    let mut other = Replica::start(&stage.redis, ServiceOptions::default()).await;
    let task = stage.working("hello").await;
    let mut fresh = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    next(&mut fresh).await;
    let (_, mut idle) = resume(&mut stage.client, &task, 2).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    assert_eq!(gist(&next(&mut fresh).await), "artifact 1");
    assert_eq!(gist(&next(&mut idle).await), "artifact 1");
    let (_, idle) = resume(&mut stage.client, &task, 3).await.unwrap();
    stage.service.sigterm();
    for broken in [fresh, idle] {
        assert_eq!(broken_at(broken).await, 3);
    }
    other.agent.update_artifact(append(&task, "a", "2")).await.unwrap();
    other.agent.complete_task(transition(&task)).await.unwrap();
    let (resumed, rest) = resume(&mut other.client, &task, 3).await.unwrap();
    let rest = gists(rest).await;
    assert_eq!(
        (resumed.as_str(), rest),
        ("true", vec!["artifact 2".to_owned(), "TASK_STATE_COMPLETED".to_owned()])
    );
}

#[tokio::test]
async fn items_carry_revisions_only_where_the_extension_is_named() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let shown = stage.client.subscribe_to_task(with_extensions(REVISION, subscribe(&task.id))).await.unwrap();
    let plain = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap();
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let (shown, plain) = (all(shown.into_inner()).await, all(plain.into_inner()).await);
    assert_eq!(shown.iter().map(revision).collect::<Vec<_>>(), [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(plain.iter().map(revision).collect::<Vec<_>>(), [None; 4]);
    assert_eq!(shown.into_iter().map(without_metadata).collect::<Vec<_>>(), plain);
}

/// What `a2a-resumed` says, and the stream.
async fn resume(
    client: &mut A2aClient,
    task: &Task,
    after: u64,
) -> Result<(String, Streaming<StreamResponse>), Status> {
    resume_with(client, task, after, "urn:none").await
}

async fn resume_with(
    client: &mut A2aClient,
    task: &Task,
    after: u64,
    extension: &'static str,
) -> Result<(String, Streaming<StreamResponse>), Status> {
    let mut request = with_extensions(extension, subscribe(&task.id));
    request.metadata_mut().insert("a2a-resume-after", after.into());
    let answer = client.subscribe_to_task(request).await?;
    let resumed = answer.metadata().get("a2a-resumed").expect("a2a-resumed").to_str().expect("text");
    Ok((resumed.to_owned(), answer.into_inner()))
}

async fn gists(events: Streaming<StreamResponse>) -> Vec<String> {
    all(events).await.iter().map(gist).collect()
}

/// The revision in the status of a stream that was broken off.
async fn broken_at(mut events: Streaming<StreamResponse>) -> u64 {
    let ended =
        tokio::time::timeout(SOON, events.message()).await.expect("in time").expect_err("a broken stream");
    assert_eq!(ended.code(), Code::Unavailable);
    let revision = ended.metadata().get("a2a-revision").expect("a2a-revision");
    revision.to_str().expect("text").parse().expect("a number")
}

fn metadata(item: &mut StreamResponse) -> &mut Option<Struct> {
    match item.payload.as_mut().expect("a payload") {
        Payload::Task(task) => &mut task.metadata,
        Payload::Message(message) => &mut message.metadata,
        Payload::StatusUpdate(update) => &mut update.metadata,
        Payload::ArtifactUpdate(update) => &mut update.metadata,
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "revisions are small whole numbers"
)]
pub(crate) fn revision(item: &StreamResponse) -> Option<u64> {
    let metadata = metadata(&mut item.clone()).clone()?;
    match metadata.fields.get(REVISION)?.kind.as_ref()? {
        Kind::NumberValue(revision) => Some(*revision as u64),
        other => panic!("a revision is a number: {other:?}"),
    }
}

fn without_metadata(mut item: StreamResponse) -> StreamResponse {
    *metadata(&mut item) = None;
    item
}
