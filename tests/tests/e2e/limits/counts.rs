//! How many: tasks of a tenant, messages of a task, webhooks of a task.

use a2a_tests::{
    clients::{self, A2aClient},
    process::ServiceOptions,
};
use futures::future::join_all;
use tonic::{Code, Status};

use crate::{
    calls::{as_tenant, assert_refused, at_once, list, to_task},
    push::{config, held},
    stage::{Replica, Stage},
};

const CALLERS: usize = 50;
const MOST: usize = 7;

/// Two replicas with a limit.
async fn limited(flag: &str) -> (Stage, Replica) {
    let options = || ServiceOptions::default().flag(flag, MOST);
    let stage = Stage::set_with(options()).await;
    let other = Replica::start(&stage.redis, options()).await;
    (stage, other)
}

/// What 50 callers, half of them at each replica, are answered at once.
async fn at_the_same_instant<T, F>(
    stage: &Stage,
    other: &Replica,
    call: impl Fn(A2aClient, usize) -> F,
) -> Vec<Result<T, Status>>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Status>> + Send + 'static,
{
    let clients = [&stage.client, &other.client];
    let calls: Vec<_> = (0..CALLERS).map(|n| tokio::spawn(call(clients[n % 2].clone(), n))).collect();
    join_all(calls).await.into_iter().map(|answer| answer.expect("no panic")).collect()
}

#[track_caller]
fn assert_exact<T>(answers: &[Result<T, Status>], most: usize) {
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), most);
    for refused in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        assert_refused(refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    }
}

#[tokio::test]
async fn tasks_of_a_tenant() {
    let (mut stage, other) = limited("max-tasks-per-tenant").await;
    for tenant in ["", "acme"] {
        let answers = at_the_same_instant(&stage, &other, move |mut client, n| async move {
            let request = as_tenant(tenant, clients::send_and_return(&n.to_string()));
            client.send_message(request).await
        })
        .await;
        assert_exact(&answers, MOST);
        let listed = stage.client.list_tasks(list(tenant)).await.unwrap().into_inner();
        assert_eq!(listed.tasks.len(), MOST);
    }
}

#[tokio::test]
async fn tasks_that_were_there_before_the_limit_count() {
    let mut stage = Stage::set().await;
    for text in ["one", "two", "three"] {
        stage.submitted(text).await;
    }
    let limit = || ServiceOptions::default().flag("max-tasks-per-tenant", MOST);
    let one = Replica::start(&stage.redis, limit()).await;
    let two = Replica::start(&stage.redis, limit()).await;
    stage.client = one.client.clone();
    let answers = at_the_same_instant(&stage, &two, |mut client, n| async move {
        client.send_message(clients::send_and_return(&n.to_string())).await
    })
    .await;
    assert_exact(&answers, MOST - 3);
}

#[tokio::test]
async fn messages_of_a_history() {
    let (mut stage, other) = limited("max-history-messages").await;
    let task = stage.submitted("hello").await;
    let id = task.id.clone();
    let answers = at_the_same_instant(&stage, &other, move |mut client, n| {
        let request = at_once(to_task(&id, &n.to_string()));
        async move { client.send_message(request).await }
    })
    .await;
    let contended = |answer: &Result<_, Status>| answer.as_ref().is_err_and(|e| e.code() == Code::Aborted);
    assert!(!answers.iter().any(contended), "the tries are enough");
    assert_exact(&answers, MOST - 1);
    let found = stage.client.get_task(crate::calls::get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found.history.len(), MOST);
}

#[tokio::test]
async fn webhooks_of_a_task() {
    let (mut stage, other) = limited("max-push-configs").await;
    let task = stage.submitted("hello").await;
    let id = task.id.clone();
    let answers = at_the_same_instant(&stage, &other, move |mut client, n| {
        let config = config(&id, &n.to_string());
        async move { client.create_task_push_notification_config(config).await }
    })
    .await;
    assert_exact(&answers, MOST);
    let configs = held(&mut stage, &task.id).await;
    assert_eq!(configs.len(), MOST);
    stage
        .client
        .create_task_push_notification_config(configs[0].clone())
        .await
        .expect("the same id replaces");
    let inline = clients::with_push(
        at_once(to_task(&task.id, "more")),
        clients::push_config("new", crate::push::HOOK),
    );
    let refused = stage.client.send_message(inline).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    let found = stage.client.get_task(crate::calls::get(&task.id)).await.unwrap().into_inner();
    assert_eq!(found.history.len(), 1, "a refused message is not taken");
}
