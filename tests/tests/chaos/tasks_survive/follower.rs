//! A subscriber that comes back to whatever replica is there, and resumes.

use std::time::Duration;

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest, Task, stream_response::Payload};
use a2a_tests::{clients, until};
use tokio::time::timeout;
use tonic::{Request, Response, Status, Streaming, metadata::MetadataValue};

use crate::{
    calls::{PATIENCE, is_unanswered},
    doors::Doors,
    gist::{REVISIONS, gist, revision, state},
    walk::Walk,
};

/// Nothing on a stream for so long is a stream that was forgotten.
const SILENCE: Duration = Duration::from_secs(60);

/// All that one subscriber saw, with revisions.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    items: Vec<(i64, String)>,
    pub(crate) resumed: usize,
    over: bool,
}

/// Follows the task to its end over as many streams as it takes.
pub(crate) async fn follow(doors: &Doors, id: String) -> Followed {
    let mut followed = Followed::default();
    while !followed.over {
        let response = subscribed(doors, &id, followed.last()).await;
        if followed.last().is_some() {
            let resumed = response.metadata().get("a2a-resumed").map(MetadataValue::as_bytes);
            assert_eq!(resumed, Some(&b"true"[..]), "{id} after {:?}", followed.last());
            followed.resumed += 1;
        }
        followed.read(response.into_inner()).await;
    }
    followed
}

impl Followed {
    /// A snapshot, then every later event once, in order.
    #[track_caller]
    pub(crate) fn check(&self, walk: &Walk) {
        let (first, later) = self.items.split_first().expect("a snapshot");
        assert_eq!(first.1, "task", "{}", walk.task.id);
        let expected: Vec<_> = walk.seen().filter(|(revision, _)| *revision > first.0).collect();
        assert_eq!(later, expected, "after revision {} of {}", first.0, walk.task.id);
    }

    fn last(&self) -> Option<i64> {
        self.items.last().map(|(revision, _)| *revision)
    }

    /// Reads until the task or the stream ends.
    async fn read(&mut self, mut stream: Streaming<StreamResponse>) {
        loop {
            match timeout(SILENCE, stream.message()).await.expect("an item, or an end") {
                Ok(Some(item)) => self.take(&item),
                Ok(None) => return,
                Err(status) => return assert!(is_unanswered(&status), "{status:?}"),
            }
        }
    }

    fn take(&mut self, item: &StreamResponse) {
        self.items.push((revision(item), gist(item)));
        self.over = match item.payload.as_ref() {
            Some(Payload::Task(task)) => is_over(task),
            _ => gist(item).starts_with("TASK_STATE_COMPLETED"),
        };
    }
}

async fn subscribed(doors: &Doors, id: &str, after: Option<i64>) -> Response<Streaming<StreamResponse>> {
    until("subscribe", PATIENCE, || async {
        match doors.client().subscribe_to_task(request(id, after)).await {
            Ok(response) => Some(response),
            Err(status) => unanswered(&status),
        }
    })
    .await
}

fn unanswered<T>(status: &Status) -> Option<T> {
    assert!(is_unanswered(status), "{}: {status:?}", clients::reason(status));
    None
}

fn request(id: &str, after: Option<i64>) -> Request<SubscribeToTaskRequest> {
    let mut request =
        Request::new(SubscribeToTaskRequest { id: id.to_owned(), ..SubscribeToTaskRequest::default() });
    request.metadata_mut().insert("a2a-extensions", REVISIONS.parse().expect("ASCII"));
    if let Some(after) = after {
        request.metadata_mut().insert("a2a-resume-after", after.into());
    }
    request
}

fn is_over(task: &Task) -> bool {
    state(task) == "TASK_STATE_COMPLETED"
}
