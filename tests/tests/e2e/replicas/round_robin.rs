//! All eleven RPCs, each through the replica that did not answer the one before.

use a2a_proto::a2a::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use a2a_tests::clients::{self, A2aClient, reason};

use super::set;
use crate::stage::{all, gist, next, state, task};

#[tokio::test]
async fn every_rpc_sees_what_the_other_replica_just_did() {
    let (stage, second) = set().await;
    for start in [0, 1] {
        let mut turn = Turn { clients: [stage.client.clone(), second.client.clone()], next: start };
        converse(&mut turn).await;
    }
}

/// The replicas, asked in turns.
struct Turn {
    clients: [A2aClient; 2],
    next: usize,
}

impl Turn {
    fn take(&mut self) -> &mut A2aClient {
        self.next += 1;
        &mut self.clients[self.next % 2]
    }
}

async fn converse(turn: &mut Turn) {
    let sent = turn.take().send_message(clients::send_and_return("hello")).await.expect("send").into_inner();
    let sent = task(sent);
    let id = sent.id.clone();
    let get = GetTaskRequest { id: id.clone(), ..GetTaskRequest::default() };
    assert_eq!(turn.take().get_task(get).await.expect("get").into_inner(), sent);
    let list = ListTasksRequest { context_id: sent.context_id.clone(), ..ListTasksRequest::default() };
    let listed = turn.take().list_tasks(list).await.expect("list").into_inner().tasks;
    assert_eq!(listed, std::slice::from_ref(&sent));
    check_push_configs(turn, &id).await;
    let more = turn.take().send_streaming_message(clients::follow_up(&sent, "more")).await;
    let mut turn_of_task = more.expect("send").into_inner();
    assert_eq!(gist(&next(&mut turn_of_task).await), "task TASK_STATE_SUBMITTED");
    let subscribe = SubscribeToTaskRequest { id: id.clone(), ..SubscribeToTaskRequest::default() };
    let mut events = turn.take().subscribe_to_task(subscribe).await.expect("subscribe").into_inner();
    assert_eq!(gist(&next(&mut events).await), "task TASK_STATE_SUBMITTED");
    let cancel = CancelTaskRequest { id, ..CancelTaskRequest::default() };
    let canceled = turn.take().cancel_task(cancel).await.expect("cancel").into_inner();
    assert_eq!((state(&canceled), canceled.history.len()), ("TASK_STATE_CANCELED", 2));
    for stream in [turn_of_task, events] {
        assert_eq!(all(stream).await.iter().map(gist).collect::<Vec<_>>(), ["TASK_STATE_CANCELED"]);
    }
    let card = turn.take().get_extended_agent_card(GetExtendedAgentCardRequest::default()).await;
    assert_eq!(reason(&card.expect_err("the sample card has none")), "UNSUPPORTED_OPERATION");
}

async fn check_push_configs(turn: &mut Turn, task: &str) {
    let config = TaskPushNotificationConfig {
        task_id: task.to_owned(),
        ..clients::push_config("config", "http://127.0.0.1:1/")
    };
    let client = turn.take();
    let created =
        client.create_task_push_notification_config(config.clone()).await.expect("create").into_inner();
    assert_eq!(created, config);
    let (id, task_id) = ("config".to_owned(), task.to_owned());
    let get = GetTaskPushNotificationConfigRequest {
        id: id.clone(),
        task_id: task_id.clone(),
        ..GetTaskPushNotificationConfigRequest::default()
    };
    let held = turn.take().get_task_push_notification_config(get).await.expect("get").into_inner();
    assert_eq!(held, config);
    let list = ListTaskPushNotificationConfigsRequest {
        task_id: task_id.clone(),
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let client = turn.take();
    let listed = client.list_task_push_notification_configs(list.clone()).await.expect("list").into_inner();
    assert_eq!(listed.configs, [config]);
    let delete = DeleteTaskPushNotificationConfigRequest {
        id,
        task_id,
        ..DeleteTaskPushNotificationConfigRequest::default()
    };
    turn.take().delete_task_push_notification_config(delete).await.expect("delete");
    let client = turn.take();
    let listed = client.list_task_push_notification_configs(list).await.expect("list").into_inner();
    assert_eq!(listed.configs, []);
}
