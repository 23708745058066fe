//! Timestamps of a status: the service's, whole milliseconds, never going back.

use a2a_proto::a2a::{StreamResponse, stream_response::Payload};
use prost_types::Timestamp;

use crate::{
    calls::{get, saying, subscribe},
    stage::{Stage, all, transition},
};

#[tokio::test]
async fn whole_milliseconds_that_never_go_back() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    stage.agent.start_working(transition(&task)).await.unwrap();
    for n in 0..20 {
        stage.agent.report_progress(saying(&task, &n.to_string())).await.unwrap();
    }
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let stamps: Vec<_> = all(events).await.iter().map(stamp).collect();
    assert_eq!(stamps.len(), 23);
    assert!(stamps.iter().all(|stamp| stamp.nanos % 1_000_000 == 0), "{stamps:?}");
    assert!(stamps.is_sorted_by_key(|stamp| (stamp.seconds, stamp.nanos)), "{stamps:?}");
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found.status.unwrap().timestamp.as_ref(), stamps.last());
}

fn stamp(item: &StreamResponse) -> Timestamp {
    let status = match item.payload.as_ref().expect("a payload") {
        Payload::Task(task) => task.status.as_ref(),
        Payload::StatusUpdate(update) => update.status.as_ref(),
        other => panic!("no status in {other:?}"),
    };
    status.and_then(|status| status.timestamp).expect("a timestamp")
}
