//! ReportProgress: news of a task that is being worked on.

use a2a_proto::{a2a::TaskState, agent::TransitionRequest};
use a2a_tests::clients;

use crate::{
    moves::{Move, check_moved, check_not_found, check_wrong_state, get},
    stage::{Stage, text, transition},
};

const SOURCES: &[TaskState] = &[TaskState::Working];

#[tokio::test]
async fn moved() {
    check_moved(Move::Progress, SOURCES, TaskState::Working).await;
}

#[tokio::test]
async fn wrong_state() {
    check_wrong_state(Move::Progress, SOURCES).await;
}

#[tokio::test]
async fn not_found() {
    check_not_found(Move::Progress).await;
}

#[tokio::test]
async fn the_news_before_goes_to_the_history() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    for text in ["one", "two"] {
        let message = Some(clients::agent_text(text));
        let news = TransitionRequest { status_message: message, ..transition(&task) };
        stage.agent.report_progress(news).await.expect("progress");
    }
    let task = get(&mut stage, &task).await;
    let history: Vec<&str> = task.history.iter().map(|message| text(&message.parts[0])).collect();
    assert_eq!(history, ["hello", "one"]);
}
