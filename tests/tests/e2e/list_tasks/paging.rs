//! Pages: every task once, whatever changes meanwhile.

use std::collections::BTreeSet;

use a2a_proto::a2a::{ListTasksRequest, TaskState};

use super::listing;
use crate::{
    calls::{assert_bad_field, list},
    stage::{Stage, transition},
};

#[tokio::test]
async fn pages_hold_every_task_once_in_the_order_of_the_whole() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 23).await;
    let whole = listing(&mut stage, ListTasksRequest { page_size: Some(100), ..list("") }).await;
    let mut request = ListTasksRequest { page_size: Some(5), ..list("") };
    let (mut sizes, mut tasks) = (Vec::new(), Vec::new());
    loop {
        let page = listing(&mut stage, request.clone()).await;
        assert_eq!((page.total_size, page.page_size), (23, 5));
        sizes.push(page.tasks.len());
        tasks.extend(page.tasks);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(sizes, [5, 5, 5, 5, 3]);
    assert_eq!(tasks, whole.tasks);
}

#[tokio::test]
async fn a_last_page_that_is_full_has_no_next() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 4).await;
    let mut request = ListTasksRequest { page_size: Some(2), ..list("") };
    request.page_token = listing(&mut stage, request.clone()).await.next_page_token;
    let last = listing(&mut stage, request).await;
    assert_eq!((last.tasks.len(), last.next_page_token.as_str()), (2, ""));
}

#[tokio::test]
async fn updates_while_paging_neither_repeat_nor_hide_a_task() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 20).await;
    let whole = listing(&mut stage, list("")).await.tasks;
    let mut request = ListTasksRequest { page_size: Some(6), ..list("") };
    let first = listing(&mut stage, request.clone()).await;
    // One that was seen, one that was not, the one at the border, and a new one.
    let moved = [&whole[2], &whole[15], &whole[5]];
    for task in moved {
        stage.agent.start_working(transition(task)).await.unwrap();
    }
    submit(&mut stage, 1).await;
    let mut seen: Vec<_> = first.tasks.iter().map(|task| task.id.clone()).collect();
    request.page_token = first.next_page_token;
    while !request.page_token.is_empty() {
        let page = listing(&mut stage, request.clone()).await;
        seen.extend(page.tasks.iter().map(|task| task.id.clone()));
        request.page_token = page.next_page_token;
    }
    let expected: Vec<_> = whole.iter().filter(|task| task.id != whole[15].id).map(|task| &task.id).collect();
    assert_eq!(seen.iter().collect::<Vec<_>>(), expected, "all but the one that moved ahead of the cursor");
}

#[tokio::test]
async fn tasks_that_leave_the_filter_while_paging_hide_no_other() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 9).await;
    let mut request =
        ListTasksRequest { page_size: Some(3), status: TaskState::Submitted.into(), ..list("") };
    let first = listing(&mut stage, request.clone()).await;
    for task in &first.tasks {
        stage.agent.start_working(transition(task)).await.unwrap();
    }
    let mut seen: BTreeSet<_> = first.tasks.into_iter().map(|task| task.id).collect();
    request.page_token = first.next_page_token;
    let second = listing(&mut stage, request.clone()).await;
    assert_eq!(second.total_size, 6);
    seen.extend(second.tasks.into_iter().map(|task| task.id));
    request.page_token = second.next_page_token;
    seen.extend(listing(&mut stage, request).await.tasks.into_iter().map(|task| task.id));
    assert_eq!(seen.len(), 9);
}

#[tokio::test]
async fn page_sizes_from_1_to_100_are_taken() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 2).await;
    for (size, held) in [(1, 1), (2, 2), (100, 2)] {
        let page = listing(&mut stage, ListTasksRequest { page_size: Some(size), ..list("") }).await;
        assert_eq!((page.page_size, page.tasks.len()), (size, held));
    }
}

#[tokio::test]
async fn other_page_sizes_are_refused() {
    let mut stage = Stage::set().await;
    for size in [0, -1, 101, i32::MAX, i32::MIN] {
        let request = ListTasksRequest { page_size: Some(size), ..list("") };
        assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "pageSize");
    }
}

#[tokio::test]
async fn the_default_page_size_is_50() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 51).await;
    let page = listing(&mut stage, list("")).await;
    assert_eq!((page.page_size, page.tasks.len(), page.total_size), (50, 50, 51));
    assert!(!page.next_page_token.is_empty());
}

#[tokio::test]
async fn a_token_that_is_none_is_refused() {
    let mut stage = Stage::set().await;
    for token in ["x", "AAAA", "W10", "../..", "é"] {
        let request = ListTasksRequest { page_token: token.to_owned(), ..list("") };
        assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "pageToken");
    }
}

#[tokio::test]
async fn a_token_of_another_query_is_refused() {
    let mut stage = Stage::set().await;
    submit(&mut stage, 3).await;
    let page = listing(&mut stage, ListTasksRequest { page_size: Some(1), ..list("") }).await;
    let token = page.next_page_token;
    let again = ListTasksRequest { page_token: token.clone(), ..list("") };
    assert_eq!(listing(&mut stage, again).await.tasks.len(), 2, "another page size is the same query");
    let others = [
        list("acme"),
        ListTasksRequest { context_id: "one".to_owned(), ..list("") },
        ListTasksRequest { status: TaskState::Submitted.into(), ..list("") },
        ListTasksRequest { status_timestamp_after: Some(prost_types::Timestamp::default()), ..list("") },
    ];
    for other in others {
        let request = ListTasksRequest { page_token: token.clone(), ..other };
        assert_bad_field(&stage.client.list_tasks(request).await.unwrap_err(), "pageToken");
    }
}

async fn submit(stage: &mut Stage, count: usize) {
    for _ in 0..count {
        stage.submitted("hello").await;
    }
}
