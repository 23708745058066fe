//! Three subscribers and a webhook of one task: each sees what the model says.

use a2a_proto::a2a::{StreamResponse, SubscribeToTaskRequest};
use a2a_tests::{clients::A2aClient, receiver::WebhookReceiver};
use tokio::task::JoinHandle;
use tonic::{Code, Request, Streaming};

use super::{show, world::Known};
use crate::{
    calls::{assert_refused, subscribe},
    resumption::{REVISION, revision},
    stage::{SOON, next},
};

/// A task that is watched.
pub(super) struct Watch {
    /// Its place in the walk.
    pub(super) task: usize,
    whole: JoinHandle<Vec<String>>,
    late: Option<Late>,
    resuming: Resuming,
}

/// A subscriber that joined when the task had a past.
struct Late {
    snapshot: String,
    told_before: usize,
    items: JoinHandle<Vec<String>>,
}

/// A subscriber that breaks off and goes on.
enum Resuming {
    Reading(Streaming<StreamResponse>),
    Away(Vec<String>, u64),
    Back(Vec<String>, JoinHandle<Vec<String>>),
    /// It had seen everything when it broke off.
    Done(Vec<String>),
}

impl Watch {
    pub(super) async fn start(
        task: usize,
        known: &Known,
        client: &mut A2aClient,
        resuming: &mut A2aClient,
    ) -> Self {
        let whole = collect(open(client, known, None).await);
        let resuming = Resuming::Reading(open(resuming, known, None).await);
        Self { task, whole, late: None, resuming }
    }

    /// A second subscriber joins, if none has.
    pub(super) async fn join(&mut self, known: &Known, client: &mut A2aClient) {
        if self.late.is_none() && known.is_live() {
            let items = collect(open(client, known, None).await);
            self.late = Some(Late { snapshot: known.shown(), told_before: known.events.len(), items });
        }
    }

    /// The third breaks off after so many items, or goes on after them.
    pub(super) async fn turn(&mut self, known: &Known, client: &mut A2aClient, items: usize) {
        let before = std::mem::replace(&mut self.resuming, Resuming::Done(Vec::new()));
        self.resuming = match before {
            Resuming::Reading(stream) => break_off(stream, items.clamp(1, known.events.len())).await,
            Resuming::Away(seen, after) => go_on(seen, after, known, client).await,
            settled => settled,
        };
    }

    /// Holds what everyone saw against the model, after the task's end.
    pub(super) async fn check(mut self, known: &Known, client: &mut A2aClient) {
        for _ in 0..2 {
            self.turn(known, client, known.events.len() / 2).await;
        }
        let told: Vec<String> = known.events.iter().map(|(_, line)| line.clone()).collect();
        assert_eq!(ended(self.whole).await, told, "the subscriber of {}", known.id);
        if let Some(Late { snapshot, told_before, items }) = self.late {
            let expected = [&[snapshot], &told[told_before..]].concat();
            assert_eq!(ended(items).await, expected, "the late subscriber of {}", known.id);
        }
        let resumed = match self.resuming {
            Resuming::Back(seen, rest) => [seen, ended(rest).await].concat(),
            Resuming::Done(seen) => seen,
            Resuming::Reading(_) | Resuming::Away(..) => panic!("the third subscriber did not come back"),
        };
        assert_eq!(resumed, told, "the resuming subscriber of {}", known.id);
    }
}

/// The webhook of a task got each event once, in order, at its revision.
pub(super) fn check_webhook(receiver: &WebhookReceiver, path: &str, known: &Known) {
    let requests = receiver.recorded().into_iter().filter(|request| request.path == path);
    let got: Vec<(u64, String)> = requests
        .map(|request| {
            let sequence = request.sequence().expect("a2a-event-sequence");
            (sequence.cast_unsigned(), show::item(request.event.as_ref().expect("an event")))
        })
        .collect();
    assert_eq!(got, known.events, "the webhook of {}", known.id);
}

async fn open(client: &mut A2aClient, known: &Known, after: Option<u64>) -> Streaming<StreamResponse> {
    let answer = client.subscribe_to_task(request(known, after)).await.expect("subscribe");
    let resumed = answer.metadata().get("a2a-resumed").map(|value| value.to_str().expect("text"));
    assert_eq!(resumed, after.map(|_| "true"));
    answer.into_inner()
}

fn request(known: &Known, after: Option<u64>) -> Request<SubscribeToTaskRequest> {
    let subscribe = SubscribeToTaskRequest { tenant: known.tenant.to_owned(), ..subscribe(&known.id) };
    let mut request = crate::calls::with_extensions(REVISION, subscribe);
    if let Some(after) = after {
        request.metadata_mut().insert("a2a-resume-after", after.into());
    }
    request
}

async fn break_off(mut stream: Streaming<StreamResponse>, items: usize) -> Resuming {
    let (mut seen, mut after) = (Vec::new(), 0);
    for _ in 0..items {
        let item = next(&mut stream).await;
        after = revision(&item).expect("a revision");
        seen.push(show::item(&item));
    }
    Resuming::Away(seen, after)
}

async fn go_on(seen: Vec<String>, after: u64, known: &Known, client: &mut A2aClient) -> Resuming {
    if !known.is_live() && after == known.now.revision {
        let refused =
            client.subscribe_to_task(request(known, Some(after))).await.expect_err("nothing is left");
        assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
        return Resuming::Done(seen);
    }
    Resuming::Back(seen, collect(open(client, known, Some(after)).await))
}

fn collect(stream: Streaming<StreamResponse>) -> JoinHandle<Vec<String>> {
    tokio::spawn(async move {
        let (mut stream, mut seen) = (stream, Vec::new());
        // As long as the walk lasts.
        while let Some(item) = stream.message().await.expect("no error") {
            seen.push(show::item(&item));
        }
        seen
    })
}

async fn ended(items: JoinHandle<Vec<String>>) -> Vec<String> {
    tokio::time::timeout(SOON, items).await.expect("a stream ends with its task").expect("no panic")
}
