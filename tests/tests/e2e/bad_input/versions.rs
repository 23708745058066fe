//! A version that is not spoken here, on every RPC of clients.

use a2a_proto::a2a::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use a2a_tests::clients;
use tonic::{Code, Request};

use super::{
    Prepared,
    ask::{Asked, Callers, with_header},
    refused,
};

#[tokio::test]
async fn version_not_supported() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let mut rows = Vec::new();
    for version in ["0.3", "1", "2.0", "latest"] {
        for (name, call) in every_rpc(&callers, version) {
            let name = format!("{name} in {version}");
            rows.push(refused(name, call, Code::FailedPrecondition, "VERSION_NOT_SUPPORTED"));
        }
    }
    prepared.check(rows).await;
}

/// Each RPC with an empty request: the version is looked at before its shape.
fn every_rpc(callers: &Callers, version: &'static str) -> Vec<(&'static str, Asked)> {
    fn of<T>(request: T, version: &'static str) -> Request<T> {
        with_header(request, "a2a-version", version)
    }
    vec![
        ("send", callers.send(of(clients::send("hello"), version))),
        ("stream", callers.stream(of(clients::send("hello"), version))),
        ("get", callers.get(of(GetTaskRequest::default(), version))),
        ("list", callers.list(of(ListTasksRequest::default(), version))),
        ("cancel", callers.cancel(of(CancelTaskRequest::default(), version))),
        ("subscribe", callers.subscribe(of(SubscribeToTaskRequest::default(), version))),
        ("create push", callers.create_push(of(TaskPushNotificationConfig::default(), version))),
        ("get push", callers.get_push(of(GetTaskPushNotificationConfigRequest::default(), version))),
        ("list pushes", callers.list_pushes(of(ListTaskPushNotificationConfigsRequest::default(), version))),
        ("delete push", callers.delete_push(of(DeleteTaskPushNotificationConfigRequest::default(), version))),
        ("card", callers.card(of(GetExtendedAgentCardRequest::default(), version))),
    ]
}
