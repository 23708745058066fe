//! SendMessage: a message starts a task or continues one.

use a2a_tests::clients;

use crate::stage::{Stage, next, state, transition};

#[tokio::test]
async fn task_created() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    assert_eq!(state(&task), "TASK_STATE_SUBMITTED");
    assert_eq!(task.history.len(), 1);
    assert_eq!(task.history[0].task_id, task.id);
    assert_eq!(task.history[0].context_id, task.context_id);
}

#[tokio::test]
async fn a_blocking_send_waits_for_its_turn() {
    let mut stage = Stage::set().await;
    let mut work = stage.worker(1).await;
    let answer = stage.send_in_background(clients::send("hello"));
    let item = next(&mut work).await;
    let task = item.task.expect("a task");
    stage.agent.start_working(transition(&task)).await.expect("start working");
    assert!(!answer.is_finished());
    stage.agent.complete_task(transition(&task)).await.expect("complete");
    let answered = answer.await.expect("no panic").expect("an answer");
    assert_eq!(answered.id, task.id);
    assert_eq!(state(&answered), "TASK_STATE_COMPLETED");
}
