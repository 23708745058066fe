//! The agent against a task service that only notes what it is told.

mod fake;

use a2a_proto::{
    a2a::TaskState,
    agent::WorkKind::{Cancel, FollowUp, NewTask},
};

use self::fake::{Fake, item};
use super::*;

const DEADLINE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_new_task_is_worked_through_under_its_lease() {
    let mut fake = Fake::start().await;
    let _agent = fake.agent();
    fake.hand_out(item("t1", NewTask, TaskState::Submitted, "two words"));
    let expected = [
        "start t1 lease-t1 Looking into it",
        "artifact t1 lease-t1 append=false last=false You wrote: two words\n",
        "artifact t1 lease-t1 append=true last=false It has 2 words",
        "artifact t1 lease-t1 append=true last=true  and 9 letters.\n",
        "complete t1 lease-t1 Here you are",
    ];
    assert_eq!(fake.told(expected.len()).await, expected);
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_completes_the_task() {
    let mut fake = Fake::start().await;
    let _agent = fake.agent();
    fake.hand_out(item("t1", NewTask, TaskState::Submitted, "ask me"));
    assert_eq!(fake.told(1).await, ["input t1 lease-t1 Which one?"]);
    fake.hand_out(item("t1", FollowUp, TaskState::InputRequired, "the left one"));
    let told = fake.told(5).await;
    assert_eq!(
        (told[0].as_str(), told[4].as_str()),
        ("start t1 lease-t1 Looking into it", "complete t1 lease-t1 Here you are")
    );
}

#[tokio::test]
async fn stopping_hands_back_what_is_held() {
    let mut fake = Fake::start().await;
    fake.hold();
    let agent = fake.agent();
    fake.hand_out(item("t1", NewTask, TaskState::Submitted, "long"));
    assert_eq!(fake.told(1).await, ["start t1 lease-t1 Looking into it"]);
    agent.stop().await;
    assert_eq!(fake.told(1).await, ["release t1 lease-t1 finished=false"]);
}

#[tokio::test]
async fn canceled_work_is_dropped_and_not_handed_back() {
    let mut fake = Fake::start().await;
    fake.hold();
    let agent = fake.agent();
    fake.hand_out(item("t1", NewTask, TaskState::Submitted, "long"));
    fake.told(1).await;
    fake.hand_out(item("t1", Cancel, TaskState::Canceled, ""));
    // A task handed out later shows that the cancel was dealt with.
    fake.hand_out(item("t2", NewTask, TaskState::Submitted, "next"));
    assert_eq!(fake.told(1).await, ["start t2 lease-t2 Looking into it"]);
    agent.stop().await;
    assert_eq!(fake.told(1).await, ["release t2 lease-t2 finished=false"]);
    assert_eq!(fake.told_in_all(), Vec::<String>::new());
}

#[tokio::test]
async fn a_broken_stream_is_opened_again() {
    let mut fake = Fake::start().await;
    let _agent = fake.agent();
    fake.hand_out(item("t1", NewTask, TaskState::Submitted, "ask"));
    fake.told(1).await;
    fake.break_stream();
    fake.hand_out(item("t2", NewTask, TaskState::Submitted, "ask"));
    assert_eq!(fake.told(1).await, ["input t2 lease-t2 Which one?"]);
}
