//! Tasks with a webhook, and changes of them.

use a2a_lifecycle::State;
use a2a_proto::a2a::{
    AuthenticationInfo, Message, StreamResponse, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
    TaskStatusUpdateEvent, stream_response::Payload,
};
use a2a_proto::agent::WorkRequest;
use a2a_store::{Commit, Created, LeaseTerm, NewPush, NewTask, StatusChange, Store};

pub const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 v=1";

pub fn config(task: &str, url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        id: "c".into(),
        task_id: task.into(),
        url: url.into(),
        token: "tok".into(),
        authentication: Some(AuthenticationInfo { scheme: "bearer".into(), credentials: "cred".into() }),
        ..TaskPushNotificationConfig::default()
    }
}

/// Creates a task at revision 1, whose webhook is `config`.
pub async fn create(store: &Store, task: &str, config: TaskPushNotificationConfig) {
    let status = TaskStatus { state: TaskState::Submitted.into(), ..TaskStatus::default() };
    let shown = Task { id: task.into(), status: Some(status.clone()), ..Task::default() };
    let new = NewTask {
        change_id: format!("{task}-1"),
        id: task.into(),
        tenant: String::new(),
        owner: String::new(),
        context: "ctx".into(),
        at_ms: a2a_runtime::clock::unix_ms(),
        status,
        metadata: None,
        message: Message::default(),
        request: WorkRequest::default(),
        response: StreamResponse { payload: Some(Payload::Task(shown)) },
        trace: TRACE.into(),
        push: Some(NewPush { config, max_configs: 10 }),
        provisional: false,
    };
    assert_eq!(store.create(&new).await.unwrap(), Created::New);
}

/// Makes `count` more changes.
pub async fn change(store: &Store, task: &str, count: u64) {
    for _ in 0..count {
        let head = store.head(task).await.unwrap().unwrap();
        let status = TaskStatus { state: TaskState::Working.into(), ..TaskStatus::default() };
        let update = TaskStatusUpdateEvent {
            task_id: task.into(),
            context_id: "ctx".into(),
            status: Some(status.clone()),
            metadata: None,
        };
        let change = StatusChange {
            change_id: format!("{task}-{}", head.revision + 1),
            head: &head,
            state: State::Working,
            at_ms: a2a_runtime::clock::unix_ms(),
            cancelable: true,
            status,
            response: StreamResponse { payload: Some(Payload::StatusUpdate(update)) },
            trace: TRACE.into(),
            lease: LeaseTerm { token: "", lease_ms: 0 },
        };
        assert_eq!(store.set_status(&change).await.unwrap(), Commit::Applied);
    }
}
