//! What the tests of push notification configs share.

use a2a_proto::a2a::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig,
};
use a2a_tests::clients;

use crate::stage::Stage;

/// Where nobody listens; nothing is delivered in these tests.
pub(crate) const HOOK: &str = "http://127.0.0.1:9/hook";

/// A config for a task.
pub(crate) fn config(task: &str, id: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig { task_id: task.to_owned(), ..clients::push_config(id, HOOK) }
}

pub(crate) fn get_config(task: &str, id: &str) -> GetTaskPushNotificationConfigRequest {
    GetTaskPushNotificationConfigRequest {
        task_id: task.to_owned(),
        id: id.to_owned(),
        ..GetTaskPushNotificationConfigRequest::default()
    }
}

pub(crate) fn delete_config(task: &str, id: &str) -> DeleteTaskPushNotificationConfigRequest {
    DeleteTaskPushNotificationConfigRequest {
        task_id: task.to_owned(),
        id: id.to_owned(),
        ..DeleteTaskPushNotificationConfigRequest::default()
    }
}

pub(crate) fn list_configs(task: &str) -> ListTaskPushNotificationConfigsRequest {
    ListTaskPushNotificationConfigsRequest {
        task_id: task.to_owned(),
        ..ListTaskPushNotificationConfigsRequest::default()
    }
}

/// The configs of a task without a tenant.
pub(crate) async fn held(stage: &mut Stage, task: &str) -> Vec<TaskPushNotificationConfig> {
    let listed = stage.client.list_task_push_notification_configs(list_configs(task)).await;
    listed.expect("configs").into_inner().configs
}
