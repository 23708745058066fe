//! How many leases a stream holds, and giving them back.

use a2a_proto::agent::{ReleaseWorkRequest, WorkItem, WorkKind};
use a2a_tests::clients::{self, follow_up};
use tonic::Code;

use super::worker::{Worker, lease, said, task, under_lease};
use crate::{
    inspect::{fingerprint, held_leases},
    stage::Stage,
};

fn release(item: &WorkItem, finished: bool) -> ReleaseWorkRequest {
    ReleaseWorkRequest { id: task(item).id.clone(), lease_token: lease(item).token.clone(), finished }
}

#[tokio::test]
async fn no_stream_holds_more_leases_than_it_asked_for() {
    let mut stage = Stage::set().await;
    let mut one = Worker::start(&stage.service, 1).await;
    for text in ["a", "b", "c", "d"] {
        stage.submitted(text).await;
    }
    let first = one.next().await;
    let mut two = Worker::start(&stage.service, 2).await;
    let (second, third) = (two.next().await, two.next().await);
    assert_eq!(held_leases(&stage.redis).await.len(), 3, "one task is left behind");
    one.agent.complete_task(under_lease(&first)).await.expect("complete");
    let fourth = one.next().await;
    let mut texts = [&first, &second, &third, &fourth].map(said);
    texts.sort_unstable();
    assert_eq!(texts, ["a", "b", "c", "d"], "it was picked up when a lease came free");
}

#[tokio::test]
async fn unfinished_work_that_is_given_back_goes_to_another() {
    let mut stage = Stage::set().await;
    let mut one = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = one.next().await;
    one.agent.release_work(release(&item, false)).await.expect("release");
    drop(one);
    let mut two = Worker::start(&stage.service, 1).await;
    let again = two.next().await;
    assert_eq!((again.kind(), said(&again), again.delivery), (WorkKind::NewTask, "hello", 2));
    let late = stage.agent.start_working(under_lease(&item)).await.expect_err("a refusal");
    assert_eq!((late.code(), clients::reason(&late).as_str()), (Code::FailedPrecondition, "LEASE_LOST"));
}

#[tokio::test]
async fn finished_work_that_is_given_back_is_not_handed_out_again() {
    let mut stage = Stage::set().await;
    let mut one = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = one.next().await;
    one.agent.release_work(release(&item, true)).await.expect("release");
    assert_eq!(held_leases(&stage.redis).await, [""; 0]);
    stage.submitted("another").await;
    assert_eq!(said(&one.next().await), "another");
    let mut two = Worker::start(&stage.service, 1).await;
    stage.send_in_background(follow_up(task(&item), "more"));
    let more = two.next().await;
    assert_eq!((more.kind(), said(&more)), (WorkKind::FollowUp, "more"), "only what came later is");
}

#[tokio::test]
async fn a_lease_is_given_back_once_and_by_its_holder() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = worker.next().await;
    let mut stolen = release(&item, true);
    stolen.lease_token.push('x');
    let before = fingerprint(&stage.redis).await;
    let refused = worker.agent.release_work(stolen).await.expect_err("a refusal");
    assert_eq!(clients::reason(&refused), "LEASE_LOST");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    worker.agent.release_work(release(&item, true)).await.expect("release");
    let refused = worker.agent.release_work(release(&item, true)).await.expect_err("a refusal");
    assert_eq!(clients::reason(&refused), "LEASE_LOST");
}
