//! ListTasks: the caller's tasks, newest status first.

mod filters;
mod paging;

use a2a_proto::a2a::{ListTasksRequest, ListTasksResponse, Task};
use a2a_tests::clients;
use futures::future::join_all;

use crate::{
    calls::{
        EXTENSION, OLD, as_tenant, assert_bad_field, assert_extension_required, assert_old_version, at_once,
        at_version, cancel, list, put, with_extensions,
    },
    cards::requiring_an_extension,
    stage::{Stage, state, task, transition},
};

#[tokio::test]
async fn listed() {
    let mut stage = Stage::set().await;
    let empty = listing(&mut stage, list("")).await;
    assert_eq!(empty, ListTasksResponse { page_size: 50, ..ListTasksResponse::default() });
    let (one, two) = (stage.submitted("one").await, stage.submitted("two").await);
    let page = listing(&mut stage, list("")).await;
    assert_eq!((page.total_size, page.page_size, page.next_page_token.as_str()), (2, 50, ""));
    let mut found = page.tasks;
    found.sort_by_key(|task| task.id == two.id);
    assert_eq!(found, [one, two]);
}

#[tokio::test]
async fn each_change_is_seen_at_once() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    assert_eq!(states(&listing(&mut stage, list("")).await), ["TASK_STATE_SUBMITTED"]);
    stage.agent.start_working(transition(&task)).await.unwrap();
    assert_eq!(states(&listing(&mut stage, list("")).await), ["TASK_STATE_WORKING"]);
    stage.client.cancel_task(cancel(&task.id)).await.unwrap();
    assert_eq!(states(&listing(&mut stage, list("")).await), ["TASK_STATE_CANCELED"]);
}

#[tokio::test]
async fn the_newest_status_comes_first_and_ties_are_ordered_by_id() {
    const TASKS: usize = 60;
    let mut stage = Stage::set().await;
    let sends = (0..TASKS).map(|_| {
        let mut client = stage.client.clone();
        async move {
            task(client.send_message(clients::send_and_return("hello")).await.expect("send").into_inner())
        }
    });
    let oldest = join_all(sends).await.swap_remove(0);
    let page = listing(&mut stage, ListTasksRequest { page_size: Some(100), ..list("") }).await;
    assert_eq!(page.tasks.len(), TASKS);
    assert!(page.tasks.is_sorted_by(|a, b| place(a) > place(b)), "each task behind newer ones, once");

    stage.agent.start_working(transition(&oldest)).await.unwrap();
    let page = listing(&mut stage, ListTasksRequest { page_size: Some(100), ..list("") }).await;
    assert_eq!(page.tasks.len(), TASKS);
    assert!(page.tasks.is_sorted_by(|a, b| place(a) > place(b)));
}

#[tokio::test]
async fn an_artifact_does_not_move_a_task() {
    let mut stage = Stage::set().await;
    let first = stage.working("first").await;
    let page = listing(&mut stage, list("")).await;
    stage.agent.update_artifact(put(&first, "a", "1")).await.unwrap();
    assert_eq!(listing(&mut stage, list("")).await, page);
}

#[tokio::test]
async fn artifacts_come_only_when_asked_for() {
    let mut stage = Stage::set().await;
    let task = stage.working("hello").await;
    stage.agent.update_artifact(put(&task, "a", "1")).await.unwrap();
    for (asked, expected) in [(None, 0), (Some(false), 0), (Some(true), 1)] {
        let page = listing(&mut stage, ListTasksRequest { include_artifacts: asked, ..list("") }).await;
        assert_eq!(page.tasks[0].artifacts.len(), expected, "{asked:?}");
    }
}

#[tokio::test]
async fn tenants_see_only_their_own() {
    let mut stage = Stage::set().await;
    let tenants = ["", "acme", "globex"];
    for tenant in tenants {
        for _ in 0..2 {
            let request = as_tenant(tenant, at_once(clients::send(tenant_mark(tenant))));
            stage.client.send_message(request).await.unwrap();
        }
    }
    for tenant in tenants {
        let page = listing(&mut stage, list(tenant)).await;
        assert_eq!((page.total_size, page.tasks.len()), (2, 2), "{tenant:?}");
        for task in &page.tasks {
            assert_eq!(crate::stage::text(&task.history[0].parts[0]), tenant_mark(tenant));
        }
    }
    assert_eq!(listing(&mut stage, list("acm")).await.total_size, 0);
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    assert_old_version(&stage.client.list_tasks(at_version(OLD, list(""))).await.unwrap_err());
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(&stage.client.list_tasks(list("")).await.unwrap_err());
    stage.client.list_tasks(with_extensions(EXTENSION, list(""))).await.unwrap();
}

#[tokio::test]
async fn a_negative_history_length_is_refused() {
    let mut stage = Stage::set().await;
    let request = ListTasksRequest { history_length: Some(-1), ..list("") };
    assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "historyLength");
}

async fn listing(stage: &mut Stage, request: ListTasksRequest) -> ListTasksResponse {
    stage.client.list_tasks(request).await.expect("a page").into_inner()
}

fn states(page: &ListTasksResponse) -> Vec<&'static str> {
    page.tasks.iter().map(state).collect()
}

/// What orders a list.
fn place(task: &Task) -> (i64, i32, &str) {
    let at = task.status.as_ref().and_then(|status| status.timestamp).expect("a timestamp");
    (at.seconds, at.nanos, &task.id)
}

fn tenant_mark(tenant: &str) -> &str {
    if tenant.is_empty() { "nobody" } else { tenant }
}
