//! Streams and waits on one replica, the agent on the other.

use a2a_proto::{a2a::CancelTaskRequest, agent::UpdateArtifactRequest};
use a2a_tests::clients;

use super::{set, subscribe};
use crate::stage::{all, gist, next, state, transition};

#[tokio::test]
async fn a_subscriber_sees_what_is_done_through_the_other_replica() {
    let (mut stage, mut second) = set().await;
    let task = stage.submitted("hello").await;
    let events = subscribe(&mut stage.client, &task).await;
    second.agent.start_working(transition(&task)).await.expect("start");
    for text in ["a", "b"] {
        let artifact = Some(clients::text_artifact("artifact", text));
        let chunk =
            UpdateArtifactRequest { id: task.id.clone(), artifact, ..UpdateArtifactRequest::default() };
        second.agent.update_artifact(chunk).await.expect("update");
    }
    second.agent.complete_task(transition(&task)).await.expect("complete");
    let seen: Vec<String> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["TASK_STATE_WORKING", "artifact a", "artifact b", "TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_cancel_through_either_ends_the_streams_of_both() {
    let (mut stage, mut second) = set().await;
    for through_second in [false, true] {
        let task = stage.submitted("hello").await;
        let one = subscribe(&mut stage.client, &task).await;
        let other = subscribe(&mut second.client, &task).await;
        let cancel = CancelTaskRequest { id: task.id.clone(), ..CancelTaskRequest::default() };
        let client = if through_second { &mut second.client } else { &mut stage.client };
        client.cancel_task(cancel).await.expect("cancel");
        for stream in [one, other] {
            let seen: Vec<String> = all(stream).await.iter().map(gist).collect();
            assert_eq!(seen, ["TASK_STATE_CANCELED"]);
        }
    }
}

#[tokio::test]
async fn a_blocking_send_is_answered_when_the_turn_ends_through_the_other_replica() {
    let (stage, mut second) = set().await;
    let request = a2a_proto::agent::ReceiveWorkRequest::default();
    let mut work = second.agent.receive_work(request).await.expect("receive work").into_inner();
    let answer = stage.send_in_background(clients::send("hello"));
    let task = next(&mut work).await.task.expect("a task");
    second.agent.complete_task(transition(&task)).await.expect("complete");
    let answered = answer.await.expect("no panic").expect("an answer");
    assert_eq!((&answered.id, state(&answered)), (&task.id, "TASK_STATE_COMPLETED"));
}
