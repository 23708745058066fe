//! Deployments whose agents may answer with a message in place of a task.

use a2a_proto::{
    a2a::{Message, Role, SendMessageRequest, SendMessageResponse, Task, send_message_response::Payload},
    agent::ReplyWithMessageRequest,
};
use a2a_tests::{clients, process::ServiceOptions};
use tokio::{task::JoinHandle, time::timeout};
use tonic::{Request, Response, Status};

use crate::{
    calls::{append, assert_not_found, get, list, recorded, with_history},
    stage::{SOON, Stage, all, gist, next, state, streamed_task, task, text, transition},
};

/// A stage whose agent decides what a message becomes.
async fn deciding() -> Stage {
    let options = ServiceOptions::default().flag("task-creation", "agent-decides");
    // No test is so slow that an immediate send gives up on the agent.
    Stage::set_with(options.flag("direct-reply-wait-ms", 60_000)).await
}

#[tokio::test]
async fn send_message_direct_message() {
    for request in [clients::send("hello"), clients::send_and_return("hello")] {
        let mut stage = deciding().await;
        let mut work = stage.worker(1).await;
        let answer = sending(&stage, Request::new(request));
        let proposed = next(&mut work).await.task.unwrap();
        assert_not_found(&stage.client.get_task(get(&proposed.id)).await.unwrap_err());
        stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();

        let message = message(answer.await.unwrap().unwrap());
        assert_eq!((message.role(), text(&message.parts[0])), (Role::Agent, "hello yourself"));
        assert_eq!((message.task_id.as_str(), &message.context_id), ("", &proposed.context_id));
        assert_no_task(&mut stage, &proposed).await;
    }
}

#[tokio::test]
async fn send_streaming_message_direct_message() {
    let mut stage = deciding().await;
    let mut work = stage.worker(1).await;
    let events = stage.client.send_streaming_message(clients::send("hello")).await.unwrap().into_inner();
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["message hello yourself"]);
    assert_no_task(&mut stage, &proposed).await;
}

#[tokio::test]
async fn send_message_task_created_by_the_agents_first_move() {
    let mut stage = deciding().await;
    let mut work = stage.worker(1).await;
    let answer = sending(&stage, Request::new(clients::send_and_return("hello")));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.start_working(transition(&proposed)).await.unwrap();
    let made = task(answer.await.unwrap().unwrap().into_inner());
    assert_eq!(made.id, proposed.id);
    let changes = recorded(&stage.redis, &made.id).await;
    assert_eq!(changes[1..], ["TaskCreated", "TaskStatusUpdated"]);
    assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().tasks.len(), 1);
}

#[tokio::test]
async fn a_blocking_send_waits_for_the_turn_of_a_task_that_the_agent_made() {
    let mut stage = deciding().await;
    let mut work = stage.worker(1).await;
    let answer = stage.send_in_background(clients::send("hello"));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.start_working(transition(&proposed)).await.unwrap();
    assert!(!answer.is_finished());
    stage.agent.complete_task(transition(&proposed)).await.unwrap();
    assert_eq!(state(&answer.await.unwrap().unwrap()), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn send_streaming_message_task_created_by_the_agents_first_move() {
    let mut stage = deciding().await;
    let mut work = stage.worker(1).await;
    let events = stage.client.send_streaming_message(clients::send("hello")).await.unwrap().into_inner();
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.update_artifact(append(&proposed, "a", "1")).await.unwrap();
    stage.agent.complete_task(transition(&proposed)).await.unwrap();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["task TASK_STATE_SUBMITTED", "artifact 1", "TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn history_length_of_a_task_that_the_agent_made() {
    for (length, expected) in [(None, 1), (Some(0), 0), (Some(1), 1)] {
        let mut stage = deciding().await;
        let mut work = stage.worker(1).await;
        let request = with_history(clients::send("hello"), length);
        let mut events = stage.client.send_streaming_message(request).await.unwrap().into_inner();
        let proposed = next(&mut work).await.task.unwrap();
        stage.agent.start_working(transition(&proposed)).await.unwrap();
        assert_eq!(streamed_task(next(&mut events).await).history.len(), expected, "{length:?}");
    }
}

#[tokio::test]
async fn an_immediate_send_that_waited_long_enough_is_answered_with_a_task() {
    let options = ServiceOptions::default().flag("task-creation", "agent-decides");
    let mut stage = Stage::set_with(options.flag("direct-reply-wait-ms", 20)).await;
    let made = stage.submitted("hello").await;
    assert_eq!(state(&made), "TASK_STATE_SUBMITTED");
    let refused = stage.agent.reply_with_message(reply(&made, "too late")).await.unwrap_err();
    crate::calls::assert_refused(&refused, tonic::Code::FailedPrecondition, "TASK_STATE_CONFLICT");
    stage.agent.complete_task(transition(&made)).await.unwrap();
}

type Sent = Result<Response<SendMessageResponse>, Status>;

fn sending(stage: &Stage, request: Request<SendMessageRequest>) -> JoinHandle<Sent> {
    let mut client = stage.client.clone();
    tokio::spawn(async move { timeout(SOON, client.send_message(request)).await.expect("an answer in time") })
}

fn reply(task: &Task, text: &str) -> ReplyWithMessageRequest {
    ReplyWithMessageRequest {
        id: task.id.clone(),
        message: Some(clients::agent_text(text)),
        ..ReplyWithMessageRequest::default()
    }
}

fn message(answer: Response<SendMessageResponse>) -> Message {
    match answer.into_inner().payload {
        Some(Payload::Message(message)) => message,
        other => panic!("expected a message, got {other:?}"),
    }
}

async fn assert_no_task(stage: &mut Stage, proposed: &Task) {
    assert_not_found(&stage.client.get_task(get(&proposed.id)).await.expect_err("no task remains"));
    assert_eq!(stage.client.list_tasks(list("")).await.expect("a page").into_inner().total_size, 0);
    assert!(!recorded(&stage.redis, &proposed.id).await.contains(&"TaskCreated".to_owned()));
}
