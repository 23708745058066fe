//! A client cancels what a worker holds.

use a2a_proto::{a2a::CancelTaskRequest, agent::WorkKind};
use a2a_runtime::clock;
use tonic::Code;

use super::worker::{Worker, lease, task, under_lease};
use crate::{
    inspect::held_leases,
    moves::metadata,
    stage::{Stage, state},
};

const SOON_MS: u128 = 100;
const CANCELS: usize = 21;

fn cancel(id: &str) -> CancelTaskRequest {
    let metadata = Some(metadata("why", "too slow"));
    CancelTaskRequest { id: id.to_owned(), metadata, ..CancelTaskRequest::default() }
}

#[tokio::test]
async fn the_holder_hears_of_a_cancel_within_a_tenth_of_a_second() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    let mut notices_ms = Vec::new();
    for _ in 0..CANCELS {
        stage.submitted("hello").await;
        let item = worker.next().await;
        worker.agent.start_working(under_lease(&item)).await.expect("start");
        let begun = clock::instant();
        stage.client.cancel_task(cancel(&task(&item).id)).await.expect("cancel");
        let notice = worker.next().await;
        notices_ms.push(begun.elapsed().as_millis());
        assert_eq!(notice.kind(), WorkKind::Cancel);
        assert_eq!(task(&notice).id, task(&item).id);
        assert_eq!(state(task(&notice)), "TASK_STATE_CANCELED");
        assert_eq!(notice.request.as_ref().expect("a request").metadata, Some(metadata("why", "too slow")));
        assert_eq!(lease(&notice).token, lease(&item).token);
    }
    notices_ms.sort_unstable();
    println!("cancel notices, ms, from the call on: {notices_ms:?}");
    assert!(notices_ms[CANCELS / 2] < SOON_MS, "{notices_ms:?}");
}

#[tokio::test]
async fn what_was_canceled_before_anyone_took_it_is_not_handed_out() {
    let mut stage = Stage::set().await;
    let canceled = stage.submitted("canceled").await;
    stage.client.cancel_task(cancel(&canceled.id)).await.expect("cancel");
    let live = stage.submitted("live").await;
    let mut worker = Worker::start(&stage.service, 0).await;
    assert_eq!(task(&worker.next().await).id, live.id);
    assert_eq!(held_leases(&stage.redis).await, [live.id]);
}

#[tokio::test]
async fn the_lease_of_a_canceled_task_is_over() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let item = worker.next().await;
    stage.client.cancel_task(cancel(&task(&item).id)).await.expect("cancel");
    let extend = a2a_proto::agent::ExtendLeaseRequest {
        id: task(&item).id.clone(),
        lease_token: lease(&item).token.clone(),
    };
    let refused = worker.agent.extend_lease(extend).await.expect_err("a refusal");
    assert_eq!(
        (refused.code(), a2a_tests::clients::reason(&refused).as_str()),
        (Code::FailedPrecondition, "LEASE_LOST")
    );
    assert_eq!(held_leases(&stage.redis).await, [""; 0]);
}
