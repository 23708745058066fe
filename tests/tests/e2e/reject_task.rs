//! RejectTask: the agent does not want to do it.

use a2a_proto::a2a::TaskState;

use crate::moves::{Move, check_moved, check_not_found, check_wrong_state};

const SOURCES: &[TaskState] =
    &[TaskState::Submitted, TaskState::Working, TaskState::InputRequired, TaskState::AuthRequired];

#[tokio::test]
async fn moved() {
    check_moved(Move::Reject, SOURCES, TaskState::Rejected).await;
}

#[tokio::test]
async fn wrong_state() {
    check_wrong_state(Move::Reject, SOURCES).await;
}

#[tokio::test]
async fn not_found() {
    check_not_found(Move::Reject).await;
}
