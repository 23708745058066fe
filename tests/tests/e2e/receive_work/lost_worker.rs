//! Workers that die, and workers that are only slow.

use a2a_proto::agent::{ExtendLeaseRequest, HeldLease, ReceiveWorkRequest, UpdateArtifactRequest, WorkKind};
use a2a_tests::{
    clients::{self, follow_up},
    process::ServiceOptions,
    until,
};
use futures::FutureExt as _;
use tonic::{Code, Status};

use super::worker::{LEASE_MS, Worker, lease, said, task, under_lease};
use crate::{
    inspect::{fingerprint, now_ms},
    stage::{SOON, Stage},
};

/// Further than the look that finds the ended leases of others.
const SEVERAL_TERMS_MS: u64 = 5 * LEASE_MS;

async fn stage() -> Stage {
    Stage::set_with(ServiceOptions::default().flag("work-lease-ms", LEASE_MS)).await
}

#[track_caller]
fn assert_lost(refused: &Status) {
    assert_eq!((refused.code(), clients::reason(refused).as_str()), (Code::FailedPrecondition, "LEASE_LOST"));
}

#[tokio::test]
async fn the_task_of_a_dead_worker_goes_to_another() {
    let mut stage = stage().await;
    let mut dead = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let lost = dead.next().await;
    dead.agent.start_working(under_lease(&lost)).await.expect("start");
    drop(dead);
    let mut other = Worker::start(&stage.service, 1).await;
    let again = other.next().await;
    assert_eq!(task(&again).id, task(&lost).id);
    assert_eq!((again.kind(), said(&again)), (WorkKind::NewTask, "hello"));
    assert_eq!((lost.delivery, again.delivery), (1, 2));
    assert_ne!(lease(&again).token, lease(&lost).token);
    other.agent.complete_task(under_lease(&again)).await.expect("the new holder completes it");
}

#[tokio::test]
async fn a_late_command_of_a_dead_worker_changes_nothing() {
    let mut stage = stage().await;
    let mut dead = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let lost = dead.next().await;
    dead.agent.start_working(under_lease(&lost)).await.expect("start");
    drop(dead);
    // Its terms must not end while the refusals below are looked at.
    let long = ServiceOptions::default().flag("work-lease-ms", 60_000);
    let other_service = a2a_tests::process::TaskService::start(&stage.redis, long).await;
    let mut other = Worker::start(&other_service, 1).await;
    other.next().await;
    let before = fingerprint(&stage.redis).await;
    assert_lost(&stage.agent.report_progress(under_lease(&lost)).await.expect_err("progress"));
    assert_lost(&stage.agent.complete_task(under_lease(&lost)).await.expect_err("complete"));
    let (id, lease_token) = (task(&lost).id.clone(), lease(&lost).token.clone());
    let artifact = Some(clients::text_artifact("late", "late"));
    let update = UpdateArtifactRequest {
        id: id.clone(),
        artifact,
        lease_token: lease_token.clone(),
        ..UpdateArtifactRequest::default()
    };
    assert_lost(&stage.agent.update_artifact(update).await.expect_err("artifact"));
    assert_lost(&stage.agent.extend_lease(ExtendLeaseRequest { id, lease_token }).await.expect_err("extend"));
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

#[tokio::test]
async fn a_slow_worker_that_talks_keeps_its_task() {
    let mut stage = stage().await;
    let mut slow = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = slow.next().await;
    slow.agent.start_working(under_lease(&item)).await.expect("start");
    let mut other = Worker::start(&stage.service, 1).await;
    let begun_ms = now_ms(&stage.redis).await;
    until("several terms pass", SOON, async || {
        stage.agent.clone().report_progress(under_lease(&item)).await.expect("progress");
        (now_ms(&stage.redis).await - begun_ms > SEVERAL_TERMS_MS).then_some(())
    })
    .await;
    assert!(other.work.message().now_or_never().is_none(), "nobody else was handed the task");
    slow.agent.complete_task(under_lease(&item)).await.expect("complete");
}

#[tokio::test]
async fn extend_lease_keeps_a_task() {
    let mut stage = stage().await;
    let mut silent = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = silent.next().await;
    drop(silent);
    let mut other = Worker::start(&stage.service, 1).await;
    let extend = ExtendLeaseRequest { id: task(&item).id.clone(), lease_token: lease(&item).token.clone() };
    let begun_ms = now_ms(&stage.redis).await;
    until("several terms pass", SOON, async || {
        let extended = stage.agent.clone().extend_lease(extend.clone()).await.expect("extend").into_inner();
        assert_eq!((extended.token.as_str(), extended.remaining_ms), (extend.lease_token.as_str(), 500));
        (now_ms(&stage.redis).await - begun_ms > SEVERAL_TERMS_MS).then_some(())
    })
    .await;
    assert!(other.work.message().now_or_never().is_none(), "nobody else was handed the task");
    let again = other.next().await;
    assert_eq!((task(&again).id.as_str(), again.delivery), (task(&item).id.as_str(), 2));
}

#[tokio::test]
async fn what_a_lost_stream_swallowed_is_sent_again() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 4).await;
    stage.submitted("hello").await;
    let item = worker.next().await;
    worker.agent.start_working(under_lease(&item)).await.expect("start");
    stage.send_in_background(follow_up(task(&item), "more"));
    let swallowed = worker.next().await;
    drop(worker);
    let held = HeldLease {
        id: task(&item).id.clone(),
        lease_token: lease(&item).token.clone(),
        received_revision: Some(item.revision),
    };
    let resumed = ReceiveWorkRequest { held: vec![held], max_leases: 1, ..ReceiveWorkRequest::default() };
    let mut back = Worker::start_with(&stage.service, resumed).await;
    let again = back.next().await;
    assert_eq!((again.revision, said(&again)), (swallowed.revision, "more"));
    assert_eq!(lease(&again).token, lease(&item).token);
}

#[tokio::test]
async fn a_worker_that_comes_back_with_its_leases_hears_of_its_tasks() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 4).await;
    stage.submitted("hello").await;
    let item = worker.next().await;
    worker.agent.start_working(under_lease(&item)).await.expect("start");
    drop(worker);
    let (id, lease_token) = (task(&item).id.clone(), lease(&item).token.clone());
    let gone = HeldLease { id: "gone".to_owned(), lease_token: "gone".to_owned(), ..HeldLease::default() };
    let held = vec![gone, HeldLease { id: id.clone(), lease_token, ..HeldLease::default() }];
    let resumed = ReceiveWorkRequest { held, max_leases: 1, ..ReceiveWorkRequest::default() };
    let mut back = Worker::start_with(&stage.service, resumed).await;
    stage.send_in_background(follow_up(task(&item), "more"));
    let more = back.next().await;
    assert_eq!((more.kind(), said(&more)), (WorkKind::FollowUp, "more"));
    assert_eq!(lease(&more).token, lease(&item).token);
    let cancel = a2a_proto::a2a::CancelTaskRequest { id: id.clone(), ..Default::default() };
    stage.client.cancel_task(cancel).await.expect("cancel");
    let notice = back.next().await;
    assert_eq!((notice.kind(), &task(&notice).id), (WorkKind::Cancel, &id));
}
