//! Going on where a lost stream ended: the ids of SSE events, `Last-Event-ID`,
//! and gRPC's own spelling of it.

use a2a_proto::a2a::{Task, TaskState};
use http::Method;

use crate::{
    driver::{Ask, Door, Driver},
    events::{Event, Events, gist},
    raw::Reply,
    stage::Stage,
    streaming::subscribe,
};

const LIFE: [TaskState; 4] =
    [TaskState::Working, TaskState::InputRequired, TaskState::Working, TaskState::Completed];

#[tokio::test]
async fn ids_are_the_revisions_of_the_task() {
    let mut stage = Stage::set().await;
    for door in Door::HTTP {
        let task = stage.submitted("hello").await;
        let events = subscribed(&stage.driver(door).await, &task).await;
        live(&mut stage, &task, &LIFE).await;
        let ids: Vec<u64> = rest(events).await.into_iter().filter_map(|event| event.id).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5], "{door:?}");
    }
}

#[tokio::test]
async fn a_stream_resumes_after_any_event() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let whole = subscribed(&stage.driver(Door::HttpJson).await, &task).await;
    live(&mut stage, &task, &LIFE).await;
    let whole: Vec<_> = rest(whole).await.into_iter().map(|event| event.response).collect();
    for driver in stage.drivers().await {
        for seen in 1..5_usize {
            let resumed = driver.resuming(u64::try_from(seen).unwrap());
            let events = rest(subscribed(&resumed, &task).await).await;
            let missed: Vec<_> = events.into_iter().map(|event| event.response).collect();
            assert_eq!(missed, whole[seen..], "{:?} after {seen}", driver.door);
        }
        let refused = driver.resuming(5).stream(Ask::Subscribe(subscribe(&task.id))).await.err();
        assert_eq!(refused.expect("nothing is left").reason, "UNSUPPORTED_OPERATION", "{:?}", driver.door);
    }
}

#[tokio::test]
async fn a_resumed_stream_goes_on_with_what_is_new() {
    let mut stage = Stage::set().await;
    for driver in stage.drivers().await {
        let task = stage.in_state(TaskState::Working).await;
        let mut resumed = subscribed(&driver.resuming(1), &task).await;
        assert_eq!(gist(&resumed.item().await), "WORKING", "{:?}", driver.door);
        stage.move_to(&task, TaskState::Completed).await;
        assert_eq!(gist(&resumed.item().await), "COMPLETED", "{:?}", driver.door);
        assert!(resumed.next().await.is_none());
    }
}

#[tokio::test]
async fn an_id_from_the_future_begins_anew() {
    let mut stage = Stage::set().await;
    let task = stage.in_state(TaskState::Working).await;
    for driver in stage.drivers().await {
        let mut events = subscribed(&driver.resuming(99), &task).await;
        assert_eq!(gist(&events.item().await), "task WORKING", "{:?}", driver.door);
    }
}

#[tokio::test]
async fn an_id_that_is_none_is_refused() {
    let stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let path = format!("/tasks/{}:subscribe", task.id);
    let reply = Reply::of(stage.raw.request(Method::GET, &path).header("Last-Event-ID", "abc")).await;
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["error"]["details"][0]["reason"], "INVALID_ARGUMENT");
}

async fn subscribed(driver: &Driver, task: &Task) -> Events {
    driver.stream(Ask::Subscribe(subscribe(&task.id))).await.expect("a stream")
}

async fn rest(mut events: Events) -> Vec<Event> {
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event.expect("no error"));
    }
    seen
}

async fn live(stage: &mut Stage, task: &Task, states: &[TaskState]) {
    for state in states {
        stage.move_to(task, *state).await;
    }
}
