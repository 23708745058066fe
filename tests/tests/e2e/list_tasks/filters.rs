//! Lists of some tasks only; the total counts what matches.

use std::collections::BTreeSet;

use a2a_proto::a2a::{ListTasksRequest, Message, Task, TaskState};
use a2a_tests::clients;
use prost_types::Timestamp;

use super::listing;
use crate::{
    calls::{assert_bad_field, at_once, list, message_of},
    stage::{Stage, task, transition},
};

const CONTEXTS: [&str; 2] = ["one", "two"];

#[tokio::test]
async fn by_context() {
    let (mut stage, all) = stage().await;
    for context in CONTEXTS {
        let request = ListTasksRequest { context_id: context.to_owned(), ..list("") };
        assert_matching(&mut stage, request, &all, |(of, _)| *of == context).await;
    }
    let request = ListTasksRequest { context_id: "three".to_owned(), ..list("") };
    assert_matching(&mut stage, request, &all, |_| false).await;
}

#[tokio::test]
async fn by_state() {
    let (mut stage, all) = stage().await;
    for wanted in [TaskState::Submitted, TaskState::Working, TaskState::Completed, TaskState::Failed] {
        let request = ListTasksRequest { status: wanted.into(), ..list("") };
        assert_matching(&mut stage, request, &all, |(_, state)| *state == wanted).await;
    }
}

#[tokio::test]
async fn by_context_and_state() {
    let (mut stage, all) = stage().await;
    for context in CONTEXTS {
        for wanted in [TaskState::Submitted, TaskState::Working, TaskState::Completed, TaskState::Canceled] {
            let request =
                ListTasksRequest { context_id: context.to_owned(), status: wanted.into(), ..list("") };
            assert_matching(&mut stage, request, &all, |key| *key == (context, wanted)).await;
        }
    }
}

#[tokio::test]
async fn by_context_and_state_over_pages() {
    let (mut stage, _) = stage().await;
    let mut request = ListTasksRequest {
        context_id: "one".to_owned(),
        status: TaskState::Submitted.into(),
        page_size: Some(1),
        ..list("")
    };
    let first = listing(&mut stage, request.clone()).await;
    request.page_token = first.next_page_token;
    let second = listing(&mut stage, request).await;
    assert_eq!((first.total_size, second.total_size), (2, 2));
    assert_eq!((first.tasks.len(), second.tasks.len(), second.next_page_token.as_str()), (1, 1, ""));
    assert_ne!(first.tasks[0].id, second.tasks[0].id);
}

#[tokio::test]
async fn status_timestamp_after_is_inclusive() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    let at = task.status.unwrap().timestamp.unwrap();
    let (sooner, later) = (shifted(at, -1_000_000), shifted(at, 1_000_000));
    let barely_later = shifted(at, 1);
    for (bound, expected) in [(sooner, 1), (at, 1), (barely_later, 0), (later, 0)] {
        let request = ListTasksRequest { status_timestamp_after: Some(bound), ..list("") };
        let page = listing(&mut stage, request).await;
        assert_eq!((page.tasks.len(), page.total_size), (expected, expected as i32), "{bound} for {at}");
    }
}

#[tokio::test]
async fn status_timestamp_after_with_context_and_state() {
    let mut stage = Stage::set().await;
    let older = in_context(&mut stage, "one").await;
    let newer = in_context(&mut stage, "one").await;
    let started = stage.agent.start_working(transition(&newer)).await.unwrap().into_inner();
    let at = started.status.unwrap().timestamp.unwrap();
    let request = |status: TaskState, at| ListTasksRequest {
        context_id: "one".to_owned(),
        status: status.into(),
        status_timestamp_after: Some(at),
        ..list("")
    };
    let found = listing(&mut stage, request(TaskState::Working, at)).await;
    assert_eq!(ids(&found.tasks), [newer.id.as_str()].into());
    let later = listing(&mut stage, request(TaskState::Working, shifted(at, 1_000_000))).await;
    assert_eq!((later.tasks.len(), later.total_size), (0, 0));
    let since = older.status.as_ref().unwrap().timestamp.unwrap();
    let found = listing(&mut stage, request(TaskState::Submitted, since)).await;
    assert_eq!(ids(&found.tasks), [older.id.as_str()].into());
}

#[tokio::test]
async fn an_unknown_state_is_refused() {
    let mut stage = Stage::set().await;
    let request = ListTasksRequest { status: 99, ..list("") };
    assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "status");
}

#[tokio::test]
async fn a_malformed_timestamp_is_refused() {
    let mut stage = Stage::set().await;
    let bound = Timestamp { seconds: 0, nanos: -1 };
    let request = ListTasksRequest { status_timestamp_after: Some(bound), ..list("") };
    assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "statusTimestampAfter");
}

type Labeled = ((&'static str, TaskState), String);

/// In each context two submitted tasks, a working and a completed one.
async fn stage() -> (Stage, Vec<Labeled>) {
    let mut stage = Stage::set().await;
    let mut all = Vec::new();
    for context in CONTEXTS {
        for state in [TaskState::Submitted, TaskState::Submitted, TaskState::Working, TaskState::Completed] {
            let task = in_context(&mut stage, context).await;
            match state {
                TaskState::Working => drop(stage.agent.start_working(transition(&task)).await.unwrap()),
                TaskState::Completed => drop(stage.agent.complete_task(transition(&task)).await.unwrap()),
                _ => {}
            }
            all.push(((context, state), task.id));
        }
    }
    (stage, all)
}

async fn in_context(stage: &mut Stage, context: &str) -> Task {
    let message = Message { context_id: context.to_owned(), ..clients::user_text("hello") };
    task(stage.client.send_message(at_once(message_of("", message))).await.expect("send").into_inner())
}

async fn assert_matching(
    stage: &mut Stage,
    request: ListTasksRequest,
    all: &[Labeled],
    matches: impl Fn(&(&'static str, TaskState)) -> bool,
) {
    let page = listing(stage, request.clone()).await;
    let expected: BTreeSet<_> =
        all.iter().filter(|(key, _)| matches(key)).map(|(_, id)| id.as_str()).collect();
    assert_eq!(ids(&page.tasks), expected, "{request:?}");
    assert_eq!(page.total_size as usize, expected.len(), "{request:?}");
}

fn ids(tasks: &[Task]) -> BTreeSet<&str> {
    tasks.iter().map(|task| task.id.as_str()).collect()
}

fn shifted(at: Timestamp, by_nanos: i64) -> Timestamp {
    let nanos = at.seconds * 1_000_000_000 + i64::from(at.nanos) + by_nanos;
    let within = i32::try_from(nanos.rem_euclid(1_000_000_000)).expect("less than a second");
    Timestamp { seconds: nanos.div_euclid(1_000_000_000), nanos: within }
}
