//! ListAllTasks and ListAllPushNotificationConfigs: everything there is, for
//! agents and operators.

use std::collections::BTreeSet;

use a2a_proto::{
    a2a::{SendMessageRequest, Task},
    agent::{ListAllPushNotificationConfigsRequest, ListAllTasksRequest, PushNotificationConfigRow, TaskRow},
};
use a2a_tests::clients::{self, secret_push_config};

use crate::stage::{Stage, state, task, transition};

const TENANTS: [&str; 3] = ["", "acme", "umbrella"];
const TASKS_EACH: usize = 11;

/// A task of a tenant with a webhook that has secrets.
async fn create(stage: &mut Stage, tenant: &str, text: &str) -> Task {
    let config = secret_push_config("config", "http://127.0.0.1:1/", "secret-token", "secret-credentials");
    let request = clients::with_push(clients::send_and_return(text), config);
    let request = SendMessageRequest { tenant: tenant.to_owned(), ..request };
    task(stage.client.send_message(request).await.expect("send").into_inner())
}

async fn fill(stage: &mut Stage) -> BTreeSet<(String, String)> {
    let mut created = BTreeSet::new();
    for tenant in TENANTS {
        for number in 0..TASKS_EACH {
            let task = create(stage, tenant, &number.to_string()).await;
            created.insert((tenant.to_owned(), task.id));
        }
    }
    created
}

/// Every row, page by page.
async fn all_tasks(stage: &mut Stage, size: i32) -> Vec<TaskRow> {
    let (mut rows, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListAllTasksRequest { page_size: Some(size), page_token };
        let page = stage.agent.list_all_tasks(request).await.expect("list").into_inner();
        assert!(page.tasks.len() <= usize::try_from(size).expect("positive"));
        rows.extend(page.tasks);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return rows;
        }
    }
}

async fn all_configs(stage: &mut Stage, size: i32) -> Vec<PushNotificationConfigRow> {
    let (mut rows, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListAllPushNotificationConfigsRequest { page_size: Some(size), page_token };
        let page = stage.agent.list_all_push_notification_configs(request).await.expect("list").into_inner();
        rows.extend(page.configs);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return rows;
        }
    }
}

#[tokio::test]
async fn every_task_of_every_tenant_is_listed_once() {
    let mut stage = Stage::set().await;
    let created = fill(&mut stage).await;
    for size in [1, 7, 100] {
        let rows = all_tasks(&mut stage, size).await;
        assert_eq!(rows.len(), created.len(), "none twice, in pages of {size}");
        let listed: BTreeSet<_> =
            rows.into_iter().map(|row| (row.tenant, row.task.expect("a task").id)).collect();
        assert_eq!(listed, created);
    }
}

#[tokio::test]
async fn every_config_of_every_tenant_is_listed_once_and_without_secrets() {
    let mut stage = Stage::set().await;
    let created = fill(&mut stage).await;
    for size in [1, 7, 100] {
        let rows = all_configs(&mut stage, size).await;
        assert!(!format!("{rows:?}").contains("secret-"), "{rows:?}");
        let names: BTreeSet<&str> = rows.iter().map(|row| row.row.as_str()).collect();
        assert_eq!((rows.len(), names.len()), (created.len(), created.len()));
        let configs = rows.into_iter().map(|row| row.config.expect("a config"));
        let listed: BTreeSet<_> = configs.map(|config| (config.tenant, config.task_id)).collect();
        assert_eq!(listed, created);
    }
}

#[tokio::test]
async fn a_view_shows_what_was_just_written() {
    let mut stage = Stage::set().await;
    let task = create(&mut stage, "acme", "hello").await;
    assert_eq!(shown(&mut stage).await, ("TASK_STATE_SUBMITTED", 1));
    stage.agent.start_working(transition(&task)).await.expect("start");
    assert_eq!(shown(&mut stage).await, ("TASK_STATE_WORKING", 2));
    stage.agent.complete_task(transition(&task)).await.expect("complete");
    assert_eq!(shown(&mut stage).await, ("TASK_STATE_COMPLETED", 3));
    assert_eq!(all_configs(&mut stage, 100).await.len(), 1);
}

/// State and revision of the only task.
async fn shown(stage: &mut Stage) -> (&'static str, i64) {
    let rows = all_tasks(stage, 100).await;
    assert_eq!(rows.len(), 1);
    (state(rows[0].task.as_ref().expect("a task")), rows[0].revision)
}
