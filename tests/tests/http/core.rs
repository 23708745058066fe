//! The core operations (A2A section 3), each requirement on each binding.

use a2a_proto::a2a::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, SendMessageConfiguration,
    SendMessageRequest, Task, TaskState,
};
use a2a_tests::clients;

use crate::{
    driver::{Driver, to_value},
    stage::{Stage, scenario, scenario_of, state, task},
};

/// The id of no task.
pub(crate) const NO_TASK: &str = "00000000-0000-4000-8000-000000000000";

#[tokio::test]
async fn send_answers_a_task() {
    each(async |driver| {
        let done = complete(driver).await;
        assert!(!done.id.is_empty() && !done.context_id.is_empty());
        assert_eq!(get(driver, &done.id, None).await, done);
    })
    .await;
}

#[tokio::test]
async fn a_task_that_has_ended_takes_no_message() {
    each(async |driver| {
        let done = complete(driver).await;
        let refused = driver.call(scenario_of(&done, "tck-terminal")).await.unwrap_err();
        assert_eq!(refused.reason, "UNSUPPORTED_OPERATION");
        assert_eq!(refused.metadata["state"], "TASK_STATE_COMPLETED");
    })
    .await;
}

#[tokio::test]
async fn unknown_tasks_are_not_found() {
    each(async |driver| {
        let get = GetTaskRequest { id: NO_TASK.into(), ..GetTaskRequest::default() };
        let refused = driver.call(get).await.unwrap_err();
        assert_eq!(refused.reason, "TASK_NOT_FOUND");
        let cancel = CancelTaskRequest { id: NO_TASK.into(), ..CancelTaskRequest::default() };
        assert_eq!(driver.call(cancel).await.unwrap_err(), refused);
        let to_none = Task { id: NO_TASK.into(), ..Task::default() };
        assert_eq!(driver.call(scenario_of(&to_none, "tck-multi-004")).await.unwrap_err(), refused);
    })
    .await;
}

#[tokio::test]
async fn cancel_ends_a_task_and_only_once() {
    each(async |driver| {
        let asked = input_required(driver).await;
        let request = CancelTaskRequest { id: asked.id.clone(), ..CancelTaskRequest::default() };
        let canceled = driver.call(request.clone()).await.unwrap();
        assert_eq!((&canceled.id, state(&canceled)), (&asked.id, TaskState::Canceled));
        let refused = driver.call(request).await.unwrap_err();
        assert_eq!(refused.reason, "TASK_NOT_CANCELABLE");
        assert_eq!(refused.metadata["state"], "TASK_STATE_CANCELED");
    })
    .await;
}

#[tokio::test]
async fn blocking_and_immediate_sends() {
    let mut stage = Stage::set().await;
    for driver in stage.drivers().await {
        let at_once = task(driver.call(clients::send_and_return("hello")).await.unwrap());
        assert_eq!(state(&at_once), TaskState::Submitted, "{driver:?}");
        stage.move_to(&at_once, TaskState::InputRequired).await;
        let follow_up = clients::follow_up(&at_once, "more");
        let blocking = tokio::spawn({
            let driver = driver.clone();
            async move { driver.call(follow_up).await }
        });
        message_taken(&driver, &at_once, 2).await;
        assert!(!blocking.is_finished(), "a task that waits for input is no answer to that input");
        stage.move_to(&at_once, TaskState::Completed).await;
        assert_eq!(state(&task(blocking.await.unwrap().unwrap())), TaskState::Completed, "{driver:?}");
    }
}

#[tokio::test]
async fn a_blocking_send_ends_with_each_state_that_ends_a_turn() {
    let mut stage = Stage::set().await;
    let ends = [
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Rejected,
        TaskState::InputRequired,
        TaskState::AuthRequired,
    ];
    for driver in stage.drivers().await {
        for end in ends {
            let context = format!("{:?} {end:?}", driver.door);
            let sent = with_context(clients::send("hello"), &context);
            let blocking = tokio::spawn({
                let driver = driver.clone();
                async move { driver.call(sent).await }
            });
            let made = made_in(&driver, &context).await;
            stage.move_to(&made, end).await;
            let answer = task(blocking.await.unwrap().unwrap());
            assert_eq!((answer.id, state_name(&driver, &made.id).await), (made.id, end), "{context}");
        }
    }
}

#[tokio::test]
async fn a_conversation_goes_on_in_its_context() {
    each(async |driver| {
        let first =
            task(driver.call(with_context(scenario("tck-complete-task"), "my context")).await.unwrap());
        assert_eq!(first.context_id, "my context");
        let second =
            task(driver.call(with_context(scenario("tck-complete-task"), "my context")).await.unwrap());
        assert_ne!(first.id, second.id);
        let asked = input_required(driver).await;
        let mut only_task = scenario_of(&asked, "tck-infer-ctx");
        only_task.message.as_mut().unwrap().context_id.clear();
        let answered = task(driver.call(only_task).await.unwrap());
        assert_eq!((&answered.id, &answered.context_id), (&asked.id, &asked.context_id));
    })
    .await;
}

#[tokio::test]
async fn another_context_than_the_task_has_is_refused() {
    each(async |driver| {
        let asked = input_required(driver).await;
        let other = Task { context_id: "another".into(), ..asked };
        let refused = driver.call(scenario_of(&other, "tck-mismatch")).await.unwrap_err();
        assert_eq!(refused.reason, "CONTEXT_MISMATCH");
    })
    .await;
}

#[tokio::test]
async fn history_is_as_long_as_asked() {
    each(async |driver| {
        let mut asked = input_required(driver).await;
        for turn in ["one", "two"] {
            let mut request = scenario_of(&asked, "tck-input-required");
            request.message.as_mut().unwrap().parts = vec![clients::text_part(turn)];
            asked = task(driver.call(request).await.unwrap());
        }
        let all = get(driver, &asked.id, Some(10)).await.history;
        assert_eq!(texts(&all), ["hello", "one", "two"]);
        assert_eq!(get(driver, &asked.id, Some(0)).await.history, []);
        assert_eq!(texts(&get(driver, &asked.id, Some(1)).await.history), ["two"]);
        let mut request = scenario_of(&asked, "tck-complete-task");
        request.configuration =
            Some(SendMessageConfiguration { history_length: Some(0), ..SendMessageConfiguration::default() });
        assert_eq!(task(driver.call(request).await.unwrap()).history, []);
    })
    .await;
}

#[tokio::test]
async fn listing() {
    each(async |driver| {
        let context = format!("context of {:?}", driver.door);
        let none = driver.call(in_context(&context)).await.unwrap();
        assert_eq!((none.tasks.len(), none.total_size, none.next_page_token.as_str()), (0, 0, ""));
        let mut made = Vec::new();
        for name in ["tck-complete-task", "tck-artifact-text", "tck-input-required"] {
            made.push(task(driver.call(with_context(scenario(name), &context)).await.unwrap()));
        }
        made.reverse();
        check_listed(driver, &context, &made).await;
        check_pages(driver, &context, &made).await;
        for bad in [0, 101, -1] {
            let request = ListTasksRequest { page_size: Some(bad), ..in_context(&context) };
            assert_eq!(driver.call(request).await.unwrap_err().reason, "INVALID_ARGUMENT", "{bad}");
        }
    })
    .await;
}

async fn check_listed(driver: &Driver, context: &str, newest_first: &[Task]) {
    let full = ListTasksRequest { include_artifacts: Some(true), ..in_context(context) };
    assert_eq!(driver.call(full).await.unwrap().tasks, newest_first);
    let listed = driver.call(in_context(context)).await.unwrap();
    let bare: Vec<Task> =
        newest_first.iter().map(|task| Task { artifacts: Vec::new(), ..task.clone() }).collect();
    assert_eq!((listed.tasks, listed.page_size, listed.total_size), (bare, 50, 3));
    let waiting = ListTasksRequest { status: TaskState::InputRequired.into(), ..in_context(context) };
    assert_eq!(ids(&driver.call(waiting).await.unwrap().tasks), [newest_first[0].id.as_str()]);
    let silent = ListTasksRequest { history_length: Some(0), ..in_context(context) };
    assert!(driver.call(silent).await.unwrap().tasks.iter().all(|task| task.history.is_empty()));
    let since = newest_first[1].status.as_ref().unwrap().timestamp;
    let later = ListTasksRequest { status_timestamp_after: since, ..in_context(context) };
    let later = driver.call(later).await.unwrap();
    assert!(ids(&later.tasks).starts_with(&ids(&newest_first[..2])));
}

async fn check_pages(driver: &Driver, context: &str, newest_first: &[Task]) {
    let first = ListTasksRequest { page_size: Some(2), ..in_context(context) };
    let page = driver.call(first.clone()).await.unwrap();
    assert_eq!((ids(&page.tasks), page.page_size, page.total_size), (ids(&newest_first[..2]), 2, 3));
    let next = driver.call(ListTasksRequest { page_token: page.next_page_token, ..first }).await.unwrap();
    assert_eq!((ids(&next.tasks), next.next_page_token.as_str()), (ids(&newest_first[2..]), ""));
}

/// The requirement on each binding, with the agent of the conformance suite.
pub(crate) async fn each(requirement: impl AsyncFn(&Driver)) {
    let stage = Stage::with_conformance_agent().await;
    for driver in stage.drivers().await {
        println!("{:?}", driver.door);
        requirement(&driver).await;
    }
}

pub(crate) async fn complete(driver: &Driver) -> Task {
    let done = task(driver.call(scenario("tck-complete-task")).await.unwrap());
    assert_eq!(state(&done), TaskState::Completed);
    done
}

pub(crate) async fn input_required(driver: &Driver) -> Task {
    let asked = task(driver.call(scenario("tck-input-required")).await.unwrap());
    assert_eq!(state(&asked), TaskState::InputRequired);
    asked
}

async fn get(driver: &Driver, id: &str, history_length: Option<i32>) -> Task {
    driver.call(GetTaskRequest { id: id.to_owned(), history_length, ..Default::default() }).await.unwrap()
}

async fn state_name(driver: &Driver, id: &str) -> TaskState {
    state(&get(driver, id, None).await)
}

/// Waits until the task has so many messages.
async fn message_taken(driver: &Driver, task: &Task, count: usize) {
    a2a_tests::until("the message is taken", crate::stage::SOON, || async {
        (get(driver, &task.id, None).await.history.len() == count).then_some(())
    })
    .await;
}

/// The one task of a context, once it is there.
async fn made_in(driver: &Driver, context: &str) -> Task {
    a2a_tests::until("the task is made", crate::stage::SOON, || async {
        driver.call(in_context(context)).await.unwrap().tasks.pop()
    })
    .await
}

fn with_context(mut request: SendMessageRequest, context: &str) -> SendMessageRequest {
    request.message.get_or_insert_default().context_id = context.to_owned();
    request
}

fn in_context(context: &str) -> ListTasksRequest {
    ListTasksRequest { context_id: context.to_owned(), ..ListTasksRequest::default() }
}

fn ids(tasks: &[Task]) -> Vec<&str> {
    tasks.iter().map(|task| task.id.as_str()).collect()
}

fn texts(messages: &[Message]) -> Vec<String> {
    let text =
        |message: &Message| to_value(&message.parts[0])["text"].as_str().unwrap_or_default().to_owned();
    messages.iter().map(text).collect()
}
