//! RequireInput: the agent waits for the client's next message.

use a2a_proto::a2a::TaskState;

use crate::moves::{Move, check_moved, check_not_found, check_wrong_state};

const SOURCES: &[TaskState] = &[TaskState::Submitted, TaskState::Working, TaskState::AuthRequired];

#[tokio::test]
async fn moved() {
    check_moved(Move::RequireInput, SOURCES, TaskState::InputRequired).await;
}

#[tokio::test]
async fn wrong_state() {
    check_wrong_state(Move::RequireInput, SOURCES).await;
}

#[tokio::test]
async fn not_found() {
    check_not_found(Move::RequireInput).await;
}
