//! CompleteTask: the agent is done.

use a2a_proto::a2a::TaskState;

use crate::moves::{Move, check_moved, check_not_found, check_wrong_state};

const SOURCES: &[TaskState] =
    &[TaskState::Submitted, TaskState::Working, TaskState::InputRequired, TaskState::AuthRequired];

#[tokio::test]
async fn moved() {
    check_moved(Move::Complete, SOURCES, TaskState::Completed).await;
}

#[tokio::test]
async fn wrong_state() {
    check_wrong_state(Move::Complete, SOURCES).await;
}

#[tokio::test]
async fn not_found() {
    check_not_found(Move::Complete).await;
}
