//! RequireAuth: the agent waits for an authorisation.

use a2a_proto::a2a::TaskState;

use crate::moves::{Move, check_moved, check_not_found, check_wrong_state};

const SOURCES: &[TaskState] = &[TaskState::Submitted, TaskState::Working, TaskState::InputRequired];

#[tokio::test]
async fn moved() {
    check_moved(Move::RequireAuth, SOURCES, TaskState::AuthRequired).await;
}

#[tokio::test]
async fn wrong_state() {
    check_wrong_state(Move::RequireAuth, SOURCES).await;
}

#[tokio::test]
async fn not_found() {
    check_not_found(Move::RequireAuth).await;
}
