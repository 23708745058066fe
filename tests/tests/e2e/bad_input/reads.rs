//! GetTask, ListTasks, CancelTask and SubscribeToTask.

use a2a_proto::a2a::{CancelTaskRequest, GetTaskRequest, ListTasksRequest, SubscribeToTaskRequest};
use prost_types::Timestamp;
use tonic::Code;

use super::{
    Prepared, Row, malformed, not_found, refused,
    values::{CONTROLS, bad_metadata, long},
};

#[tokio::test]
async fn get_task() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |id: &str| GetTaskRequest { id: id.into(), ..GetTaskRequest::default() };
    let live = of(&prepared.live.id);
    let mut rows = vec![
        malformed("no id", callers.get(of("")), &["id"]),
        malformed(
            "negative history length",
            callers.get(GetTaskRequest { history_length: Some(-1), ..live.clone() }),
            &["historyLength"],
        ),
        not_found("another tenant", callers.get(GetTaskRequest { tenant: "another".into(), ..live })),
    ];
    rows.extend(unknown_ids().into_iter().map(|id| not_found(format!("{id:?}"), callers.get(of(&id)))));
    prepared.check(rows).await;
}

#[tokio::test]
async fn list_tasks() {
    let mut prepared = Prepared::set().await;
    let first = ListTasksRequest { page_size: Some(1), ..ListTasksRequest::default() };
    let page = prepared.stage.client.list_tasks(first).await.expect("list").into_inner();
    let callers = prepared.callers();
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: &str, field, request| rows.push(malformed(name, callers.list(request), &[field]));
    for size in [0, -1, 101, i32::MAX] {
        let request = ListTasksRequest { page_size: Some(size), ..ListTasksRequest::default() };
        add(&format!("a page of {size}"), "pageSize", request);
    }
    let other_query =
        ListTasksRequest { context_id: "c".into(), page_token: page.next_page_token, ..Default::default() };
    add("a token of another query", "pageToken", other_query);
    for token in ["x", "é", "\n", "bnVsbA", &"x".repeat(10_000)] {
        let request = ListTasksRequest { page_token: token.into(), ..ListTasksRequest::default() };
        add("a bad token", "pageToken", request);
    }
    for (seconds, nanos) in [(0, -1), (0, 1_000_000_000), (i64::MAX, 0), (i64::MIN, 0)] {
        let status_timestamp_after = Some(Timestamp { seconds, nanos });
        let request = ListTasksRequest { status_timestamp_after, ..ListTasksRequest::default() };
        add(&format!("{seconds} s {nanos} ns"), "statusTimestampAfter", request);
    }
    add("an unknown state", "status", ListTasksRequest { status: 99, ..Default::default() });
    add(
        "negative history",
        "historyLength",
        ListTasksRequest { history_length: Some(-1), ..Default::default() },
    );
    for id in [long().as_str(), CONTROLS[0], CONTROLS[3]] {
        add(id, "tenant", ListTasksRequest { tenant: id.into(), ..ListTasksRequest::default() });
        add(id, "contextId", ListTasksRequest { context_id: id.into(), ..ListTasksRequest::default() });
    }
    prepared.check(rows).await;
}

#[tokio::test]
async fn cancel_task() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |id: &str| CancelTaskRequest { id: id.into(), ..CancelTaskRequest::default() };
    let live = of(&prepared.live.id);
    let (ended, reason) = (Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
    let mut rows = vec![
        malformed("no id", callers.cancel(of("")), &["id"]),
        not_found("another tenant", callers.cancel(CancelTaskRequest { tenant: "a".into(), ..live.clone() })),
        refused("a finished task", callers.cancel(of(&prepared.finished.id)), ended, reason),
    ];
    for (name, metadata) in bad_metadata() {
        let request = CancelTaskRequest { metadata: Some(metadata), ..live.clone() };
        rows.push(malformed(name, callers.cancel(request), &["metadata"]));
    }
    rows.extend(unknown_ids().into_iter().map(|id| not_found(format!("{id:?}"), callers.cancel(of(&id)))));
    prepared.check(rows).await;
}

#[tokio::test]
async fn subscribe_to_task() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |id: &str| SubscribeToTaskRequest { id: id.into(), ..SubscribeToTaskRequest::default() };
    let (ended, reason) = (Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let elsewhere = SubscribeToTaskRequest { tenant: "another".into(), ..of(&prepared.live.id) };
    let mut rows = vec![
        malformed("no id", callers.subscribe(of("")), &["id"]),
        not_found("another tenant", callers.subscribe(elsewhere)),
        refused("a finished task", callers.subscribe(of(&prepared.finished.id)), ended, reason),
    ];
    rows.extend(unknown_ids().into_iter().map(|id| not_found(format!("{id:?}"), callers.subscribe(of(&id)))));
    prepared.check(rows).await;
}

/// Ids that no task has.
fn unknown_ids() -> Vec<String> {
    let mut ids = vec!["nobody".to_owned(), long(), "x".repeat(100_000), "tásk-☃".to_owned()];
    ids.extend(CONTROLS.map(str::to_owned));
    ids.extend(["*", "{0}", "a:b", "../x"].map(str::to_owned));
    ids
}
