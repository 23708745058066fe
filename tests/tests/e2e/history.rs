//! A task's history: what was said, each once, in the order accepted, and how
//! much of it an answer shows.

use a2a_proto::a2a::{GetTaskRequest, ListTasksRequest, Message, Task, stream_response::Payload};
use a2a_tests::clients;

use crate::{
    calls::{at_once, cancel, get, list, saying, subscribe, to_task, with_history},
    stage::{Stage, next, streamed_task, task, text, transition},
};

/// What a history length asks for, of a history of three.
const LENGTHS: [(Option<i32>, &[&str]); 5] = [
    (None, &["hello", "which?", "that"]),
    (Some(0), &[]),
    (Some(1), &["that"]),
    (Some(2), &["which?", "that"]),
    (Some(9), &["hello", "which?", "that"]),
];

#[tokio::test]
async fn a_question_stands_between_what_it_followed_and_its_answer() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.agent.require_input(saying(&task, "which?")).await.unwrap();
    let found = found(&mut stage, &task, None).await;
    assert_eq!(said(&found.history), ["hello"], "the question is the status until something takes its place");
    assert_eq!(text(&found.status.unwrap().message.unwrap().parts[0]), "which?");

    stage.client.send_message(at_once(to_task(&task.id, "that"))).await.unwrap();
    stage.agent.start_working(saying(&task, "on it")).await.unwrap();
    stage.agent.complete_task(saying(&task, "done")).await.unwrap();
    let found = self::found(&mut stage, &task, None).await;
    assert_eq!(said(&found.history), ["hello", "which?", "that", "on it"]);
    assert_eq!(text(&found.status.unwrap().message.unwrap().parts[0]), "done");
}

#[tokio::test]
async fn reports_of_progress_are_kept_each_once() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for report in ["10 %", "50 %", "90 %"] {
        stage.agent.report_progress(saying(&task, report)).await.unwrap();
    }
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let found = found(&mut stage, &task, None).await;
    assert_eq!(said(&found.history), ["hello", "10 %", "50 %", "90 %"]);
    assert_eq!(found.status.unwrap().message, None);
}

#[tokio::test]
async fn what_the_agent_said_last_is_kept_by_a_cancel() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    stage.agent.start_working(saying(&task, "on it")).await.unwrap();
    let canceled = stage.client.cancel_task(cancel(&task.id)).await.unwrap().into_inner();
    assert_eq!(said(&canceled.history), ["hello", "on it"]);
}

#[tokio::test]
async fn every_message_carries_its_task_and_context() {
    let mut stage = Stage::set().await;
    let task = answered(&mut stage).await;
    for message in found(&mut stage, &task, None).await.history {
        assert_eq!((message.task_id, message.context_id), (task.id.clone(), task.context_id.clone()));
    }
}

#[tokio::test]
async fn history_length_of_get_task() {
    let mut stage = Stage::set().await;
    let task = answered(&mut stage).await;
    for (length, expected) in LENGTHS {
        assert_eq!(said(&found(&mut stage, &task, length).await.history), expected, "{length:?}");
    }
}

#[tokio::test]
async fn history_length_of_list_tasks() {
    let mut stage = Stage::set().await;
    answered(&mut stage).await;
    for (history_length, expected) in LENGTHS {
        let request = ListTasksRequest { history_length, ..list("") };
        let page = stage.client.list_tasks(request).await.unwrap().into_inner();
        assert_eq!(said(&page.tasks[0].history), expected, "{history_length:?}");
    }
}

#[tokio::test]
async fn history_length_of_send_message() {
    for (length, expected) in LENGTHS {
        let mut stage = Stage::set().await;
        let task = asked(&mut stage).await;
        let request = with_history(at_once(to_task(&task.id, "that")), length);
        let sent = self::task(stage.client.send_message(request).await.unwrap().into_inner());
        assert_eq!(said(&sent.history), expected, "{length:?}");
    }
}

#[tokio::test]
async fn history_length_of_a_blocking_send_message() {
    for (length, expected) in LENGTHS {
        let mut stage = Stage::set().await;
        let task = asked(&mut stage).await;
        let answer = stage.send_in_background(with_history(to_task(&task.id, "that"), length));
        next(&mut stage.worker(1).await).await;
        stage.agent.complete_task(transition(&task)).await.unwrap();
        assert_eq!(said(&answer.await.unwrap().unwrap().history), expected, "{length:?}");
    }
}

#[tokio::test]
async fn history_length_of_a_new_task() {
    let mut stage = Stage::set().await;
    for (length, expected) in [(None, 1), (Some(0), 0), (Some(1), 1), (Some(5), 1)] {
        let request = with_history(clients::send_and_return("hello"), length);
        let sent = task(stage.client.send_message(request.clone()).await.unwrap().into_inner());
        assert_eq!(sent.history.len(), expected, "{length:?}");
        let mut events = stage.client.send_streaming_message(request).await.unwrap().into_inner();
        assert_eq!(streamed_task(next(&mut events).await).history.len(), expected, "{length:?}");
    }
}

#[tokio::test]
async fn history_length_of_the_snapshot_of_a_stream() {
    for (length, expected) in LENGTHS {
        let mut stage = Stage::set().await;
        let task = asked(&mut stage).await;
        let request = with_history(to_task(&task.id, "that"), length);
        let mut events = stage.client.send_streaming_message(request).await.unwrap().into_inner();
        assert_eq!(said(&streamed_task(next(&mut events).await).history), expected, "{length:?}");
    }
}

#[tokio::test]
async fn a_subscriber_sees_the_whole_history() {
    let mut stage = Stage::set().await;
    let task = answered(&mut stage).await;
    let mut events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    let Some(Payload::Task(snapshot)) = next(&mut events).await.payload else { panic!("no snapshot") };
    assert_eq!(said(&snapshot.history), ["hello", "which?", "that"]);
}

/// A task whose agent asked back.
async fn asked(stage: &mut Stage) -> Task {
    let task = stage.submitted("hello").await;
    stage.agent.start_working(saying(&task, "which?")).await.expect("start working");
    stage.agent.require_input(transition(&task)).await.expect("ask");
    task
}

/// And whose client answered: three messages.
async fn answered(stage: &mut Stage) -> Task {
    let task = asked(stage).await;
    stage.client.send_message(at_once(to_task(&task.id, "that"))).await.expect("answer");
    task
}

async fn found(stage: &mut Stage, task: &Task, history_length: Option<i32>) -> Task {
    let request = GetTaskRequest { history_length, ..get(&task.id) };
    stage.client.get_task(request).await.expect("the task").into_inner()
}

fn said(messages: &[Message]) -> Vec<&str> {
    messages.iter().flat_map(|message| &message.parts).map(text).collect()
}
