//! Streams (A2A sections 3.1.2, 3.1.6 and 7), each requirement on each binding.

use a2a_proto::a2a::{SubscribeToTaskRequest, Task, TaskState, stream_response::Payload};
use a2a_tests::clients;

use crate::{
    core::{NO_TASK, complete, each, input_required},
    driver::{Ask, all},
    events::gist,
    stage::{Stage, scenario, scenario_of},
};

#[tokio::test]
async fn a_stream_begins_with_the_task_and_ends_with_it() {
    each(async |driver| {
        for name in ["tck-stream-001", "tck-stream-002", "tck-stream-003"] {
            let seen = all(driver.stream(Ask::Send(scenario(name))).await.unwrap()).await;
            assert!(matches!(seen[0].payload, Some(Payload::Task(_))), "{name} {seen:?}");
            assert!(gist(seen.last().unwrap()).ends_with("COMPLETED"), "{name} {seen:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_turn_that_needs_input_ends_its_stream() {
    each(async |driver| {
        let seen = all(driver.stream(Ask::Send(scenario("tck-input-required"))).await.unwrap()).await;
        assert!(gist(seen.last().unwrap()).ends_with("INPUT_REQUIRED"), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn each_end_of_a_task_ends_its_streams() {
    let mut stage = Stage::set().await;
    let ends = [TaskState::Completed, TaskState::Failed, TaskState::Rejected];
    for driver in stage.drivers().await {
        for end in ends {
            let task = stage.submitted("hello").await;
            let mut subscribed = driver.stream(Ask::Subscribe(subscribe(&task.id))).await.unwrap();
            assert_eq!(gist(&subscribed.item().await), "task SUBMITTED");
            for step in [TaskState::Working, TaskState::AuthRequired, end] {
                stage.move_to(&task, step).await;
                let name = step.as_str_name().trim_start_matches("TASK_STATE_");
                assert_eq!(gist(&subscribed.item().await), name, "{:?}", driver.door);
            }
            assert!(subscribed.next().await.is_none(), "{:?} {end:?}", driver.door);
        }
    }
}

#[tokio::test]
async fn a_sent_stream_stays_open_while_authorisation_is_awaited() {
    let mut stage = Stage::set().await;
    for driver in stage.drivers().await {
        let mut sent = driver.stream(Ask::Send(clients::send("hello"))).await.unwrap();
        let Some(Payload::Task(task)) = sent.item().await.payload else { panic!("a task first") };
        for step in [TaskState::AuthRequired, TaskState::Working, TaskState::Completed] {
            stage.move_to(&task, step).await;
            sent.item().await;
        }
        assert!(sent.next().await.is_none(), "{:?}", driver.door);
    }
}

#[tokio::test]
async fn a_subscription_outlives_a_question() {
    each(async |driver| {
        let asked = input_required(driver).await;
        let mut subscribed = driver.stream(Ask::Subscribe(subscribe(&asked.id))).await.unwrap();
        assert_eq!(subscribed.item().await.payload, Some(Payload::Task(asked.clone())));
        driver.call(scenario_of(&asked, "tck-complete-task")).await.unwrap();
        let rest = all(subscribed).await;
        assert_eq!(rest.iter().map(gist).collect::<Vec<_>>(), ["COMPLETED"]);
    })
    .await;
}

#[tokio::test]
async fn a_reader_that_leaves_disturbs_no_other() {
    each(async |driver| {
        let asked = input_required(driver).await;
        let mut left = driver.stream(Ask::Subscribe(subscribe(&asked.id))).await.unwrap();
        let mut stays = driver.stream(Ask::Subscribe(subscribe(&asked.id))).await.unwrap();
        assert_eq!(left.item().await, stays.item().await);
        drop(left);
        driver.call(scenario_of(&asked, "tck-complete-task")).await.unwrap();
        assert_eq!(all(stays).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_streamed_is_refused_before_the_stream() {
    each(async |driver| {
        let done = complete(driver).await;
        let refused = driver.stream(Ask::Subscribe(subscribe(&done.id))).await.err().expect("a refusal");
        assert_eq!(refused.reason, "UNSUPPORTED_OPERATION");
        let refused = driver.stream(Ask::Subscribe(subscribe(NO_TASK))).await.err().expect("a refusal");
        assert_eq!(refused.reason, "TASK_NOT_FOUND");
        let again = driver.stream(Ask::Send(scenario_of(&done, "tck-terminal"))).await;
        assert_eq!(again.err().expect("a refusal").reason, "UNSUPPORTED_OPERATION");
        let to_none = Task { id: NO_TASK.into(), ..Task::default() };
        let to_none = driver.stream(Ask::Send(scenario_of(&to_none, "x"))).await;
        assert_eq!(to_none.err().expect("a refusal").reason, "TASK_NOT_FOUND");
        let mut empty = scenario("x");
        empty.message.as_mut().unwrap().parts.clear();
        let refused = driver.stream(Ask::Send(empty)).await.err().expect("a refusal");
        assert_eq!(refused.fields(), ["message.parts"]);
    })
    .await;
}

pub(crate) fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest { id: id.to_owned(), ..SubscribeToTaskRequest::default() }
}
