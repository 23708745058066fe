//! A subscriber that does not read delays nobody, and misses nothing.

use a2a_proto::{
    a2a::{StreamResponse, Task},
    agent::UpdateArtifactRequest,
};
use a2a_tests::clients::{self, A2aClient};
use tonic::transport::Endpoint;

use super::{set, subscribe};
use crate::stage::{all, gist, next, transition};

/// Several times what a subscriber's queue holds.
const EVENTS: usize = 400;
/// The least that HTTP/2 allows by default: the stream stalls after a few events.
const WINDOW_BYTES: u32 = 65_535;
const EVENT_BYTES: usize = 8 * 1_024;

#[tokio::test]
async fn a_slow_subscriber_sees_everything_and_delays_nobody() {
    let (mut stage, mut second) = set().await;
    let task = stage.working("hello").await;
    let mut slow_client = reluctant(stage.service.at.grpc).await;
    let slow = subscribe(&mut slow_client, &task).await;
    let mut quick = subscribe(&mut stage.client, &task).await;
    for number in 0..EVENTS {
        second.agent.update_artifact(numbered(&task, number)).await.expect("update");
        assert_eq!(number_of(&next(&mut quick).await), number.to_string());
    }
    second.agent.complete_task(transition(&task)).await.expect("complete");
    let mut seen = all(slow).await;
    assert_eq!(gist(&seen.pop().expect("an end")), "TASK_STATE_COMPLETED");
    let numbers: Vec<String> = seen.iter().map(number_of).collect();
    assert_eq!(numbers, (0..EVENTS).map(|number| number.to_string()).collect::<Vec<_>>());
}

/// A client that lets the server send little before it reads.
async fn reluctant(addr: std::net::SocketAddr) -> A2aClient {
    let endpoint = Endpoint::from_shared(format!("http://{addr}")).expect("an address makes a URI");
    let endpoint =
        endpoint.initial_stream_window_size(WINDOW_BYTES).initial_connection_window_size(WINDOW_BYTES);
    A2aClient::new(endpoint.connect().await.expect("connect"))
}

/// An artifact large enough to fill the window soon.
fn numbered(task: &Task, number: usize) -> UpdateArtifactRequest {
    let artifact = Some(clients::text_artifact("artifact", &format!("{number:.<EVENT_BYTES$}")));
    UpdateArtifactRequest { id: task.id.clone(), artifact, ..UpdateArtifactRequest::default() }
}

fn number_of(item: &StreamResponse) -> String {
    gist(item).trim_start_matches("artifact ").trim_end_matches('.').to_owned()
}
