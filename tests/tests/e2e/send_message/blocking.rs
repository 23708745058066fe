//! A send that is not asked to return at once waits for its turn to end.

use std::time::Duration;

use a2a_proto::{a2a::SendMessageRequest, agent::WorkKind};
use a2a_tests::{clients, process::ServiceOptions};
use futures::{StreamExt as _, stream};

use crate::{
    calls::{get, put, saying},
    stage::{Stage, another, next, state, text, transition},
};

#[tokio::test]
async fn a_blocking_send_waits_for_its_turn() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let answer = stage.send_in_background(clients::send("hello"));
    let item = next(&mut work).await;
    let task = item.task.expect("a task");
    stage.agent.start_working(transition(&task)).await.expect("start working");
    assert!(!answer.is_finished());
    stage.agent.update_artifact(put(&task, "a", "result")).await.expect("an artifact");
    stage.agent.complete_task(transition(&task)).await.expect("complete");
    let answered = answer.await.expect("no panic").expect("an answer");
    assert_eq!(answered.id, task.id);
    assert_eq!(state(&answered), "TASK_STATE_COMPLETED");
    assert_eq!(text(&answered.artifacts[0].parts[0]), "result");
}

#[tokio::test]
async fn a_turn_ends_at_each_interrupted_and_terminal_state() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    for end in ["INPUT_REQUIRED", "AUTH_REQUIRED", "COMPLETED", "FAILED", "REJECTED"] {
        let answer = stage.send_in_background(clients::send("hello"));
        let task = next(&mut work).await.task.unwrap();
        match end {
            "INPUT_REQUIRED" => stage.agent.require_input(transition(&task)).await.unwrap(),
            "AUTH_REQUIRED" => stage.agent.require_auth(transition(&task)).await.unwrap(),
            "COMPLETED" => stage.agent.complete_task(transition(&task)).await.unwrap(),
            "FAILED" => stage.agent.fail_task(transition(&task)).await.unwrap(),
            _ => stage.agent.reject_task(transition(&task)).await.unwrap(),
        };
        assert_eq!(state(&answer.await.unwrap().unwrap()), format!("TASK_STATE_{end}"));
    }
}

#[tokio::test]
async fn a_follow_up_to_an_interrupted_task_waits_for_its_own_turn() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let first = stage.send_in_background(clients::send("hello"));
    let task = next(&mut work).await.task.unwrap();
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    assert_eq!(state(&first.await.unwrap().unwrap()), "TASK_STATE_INPUT_REQUIRED");

    let second = stage.send_in_background(clients::follow_up(&task, "that"));
    let item = next(&mut work).await;
    assert_eq!(item.kind(), WorkKind::FollowUp);
    stage.agent.start_working(transition(&task)).await.unwrap();
    assert!(!second.is_finished());
    stage.agent.require_input(saying(&task, "and what else?")).await.unwrap();
    let answered = second.await.unwrap().unwrap();
    let asked = answered.status.unwrap().message.unwrap();
    assert_eq!(text(&asked.parts[0]), "and what else?");
}

#[tokio::test]
async fn a_follow_up_that_the_agent_answers_without_working_is_answered() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let task = stage.submitted("hello").await;
    next(&mut work).await;
    stage.agent.require_auth(transition(&task)).await.unwrap();
    let answer = stage.send_in_background(clients::follow_up(&task, "done"));
    next(&mut work).await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    assert_eq!(state(&answer.await.unwrap().unwrap()), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_thousand_tasks_that_complete_at_once_are_all_answered() {
    const TASKS: usize = 1_000;
    const AT_ONCE: usize = 16;
    let mut stage = Stage::set().await;
    let mut work = stage.worker(AT_ONCE as i32).await;
    let mut agent = stage.agent.clone();
    let worker = tokio::spawn(async move {
        for _ in 0..TASKS {
            let task = next(&mut work).await.task.expect("a task");
            agent.complete_task(transition(&task)).await.expect("complete");
        }
    });
    let sends = stream::iter(0..TASKS).map(|_| stage.send_in_background(clients::send("hello")));
    let answers: Vec<_> = sends.buffer_unordered(AT_ONCE).collect().await;
    for answer in answers {
        assert_eq!(state(&answer.unwrap().unwrap()), "TASK_STATE_COMPLETED");
    }
    worker.await.unwrap();
}

#[tokio::test]
async fn past_the_longest_wait_the_answer_is_the_task_as_it_stands() {
    let options = ServiceOptions::default().flag("max-blocking-wait-ms", 50);
    let stage = Stage::set_with(options).await;
    let answered = stage.send_in_background(clients::send("hello")).await.unwrap().unwrap();
    assert_eq!(state(&answered), "TASK_STATE_SUBMITTED");
    assert_eq!(answered.history.len(), 1);
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_affect_the_task() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let mut gone = another(&stage.service).await;
    let request: SendMessageRequest = clients::send("hello");
    let waiting = tokio::spawn(async move { gone.send_message(request).await });
    let task = next(&mut work).await.task.unwrap();
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    stage.agent.start_working(transition(&task)).await.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let found = stage.client.get_task(get(&task.id)).await.unwrap().into_inner();
    assert_eq!(state(&found), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_deadline_of_the_caller_ends_the_wait_and_not_the_task() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let mut request = tonic::Request::new(clients::send("hello"));
    // Long enough for the message to be taken on a machine under load.
    request.set_timeout(Duration::from_secs(2));
    let mut client = stage.client.clone();
    let answer = tokio::spawn(async move { client.send_message(request).await });
    let task = next(&mut work).await.task.expect("the task is there");
    answer.await.unwrap().unwrap_err();
    stage.agent.complete_task(transition(&task)).await.unwrap();
}

#[tokio::test]
async fn five_hundred_at_once_with_webhooks_are_all_answered() {
    const SENDS: usize = 500;
    let mut stage = Stage::set_with(ServiceOptions::default().flag("work-max-leases", 64)).await;
    let mut work = stage.worker(64).await;
    let sends: Vec<_> = (0..SENDS)
        .map(|n| {
            let webhook = clients::push_config(&format!("c{n}"), "http://127.0.0.1:9/hook");
            stage.send_in_background(clients::with_push(clients::send("hello"), webhook))
        })
        .collect();
    let mut agent = stage.agent.clone();
    let worker = tokio::spawn(async move {
        for _ in 0..SENDS {
            let task = next(&mut work).await.task.expect("a task");
            agent.complete_task(transition(&task)).await.expect("complete");
        }
    });
    for sent in sends {
        assert_eq!(state(&sent.await.unwrap().unwrap()), "TASK_STATE_COMPLETED");
    }
    worker.await.unwrap();
}
