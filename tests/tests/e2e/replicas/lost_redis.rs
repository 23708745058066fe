//! Redis dies while clients listen: a stream goes on without a gap, or ends
//! UNAVAILABLE; it never ends as if the task had.

use a2a_proto::{
    a2a::{StreamResponse, Task, stream_response::Payload},
    agent::UpdateArtifactRequest,
};
use a2a_tests::{clients, until};
use tonic::{Code, Status, Streaming};

use super::{set, subscribe};
use crate::stage::{SOON, Stage, text, transition};

const CHUNKS: usize = 30;

/// How a stream ended, and the numbers that it showed.
struct Seen {
    numbers: Vec<usize>,
    ended: Result<(), Status>,
}

#[tokio::test]
async fn a_stream_goes_on_or_ends_unavailable() {
    let (mut stage, mut second) = set().await;
    let task = stage.working("hello").await;
    let readers = [subscribe(&mut stage.client, &task).await, subscribe(&mut second.client, &task).await];
    let readers = readers.map(|stream| tokio::spawn(read(stream)));
    for number in 0..CHUNKS {
        if number == CHUNKS / 2 {
            stage.redis.restart().await;
        }
        put(&stage, &task, number).await;
    }
    until("the task completes", SOON, async || {
        stage.agent.clone().complete_task(transition(&task)).await.ok()
    })
    .await;
    for reader in readers {
        let seen = reader.await.expect("no panic");
        assert_eq!(seen.numbers, (0..seen.numbers.len()).collect::<Vec<_>>(), "no gap, nothing twice");
        match seen.ended {
            Ok(()) => assert_eq!(seen.numbers.len(), CHUNKS),
            Err(status) => assert_eq!(status.code(), Code::Unavailable, "{status:?}"),
        }
    }
}

async fn read(mut stream: Streaming<StreamResponse>) -> Seen {
    let mut numbers = Vec::new();
    loop {
        match tokio::time::timeout(SOON, stream.message()).await.expect("in time") {
            Ok(Some(item)) => numbers.extend(number_of(&item)),
            Ok(None) => return Seen { numbers, ended: Ok(()) },
            Err(status) => return Seen { numbers, ended: Err(status) },
        }
    }
}

async fn put(stage: &Stage, task: &Task, number: usize) {
    let artifact = Some(clients::text_artifact(&number.to_string(), &number.to_string()));
    let chunk = UpdateArtifactRequest { id: task.id.clone(), artifact, ..UpdateArtifactRequest::default() };
    until("a chunk is taken", SOON, async || stage.agent.clone().update_artifact(chunk.clone()).await.ok())
        .await;
}

fn number_of(item: &StreamResponse) -> Option<usize> {
    let Some(Payload::ArtifactUpdate(update)) = &item.payload else { return None };
    text(&update.artifact.as_ref()?.parts[0]).parse().ok()
}
