//! Each request of the protocol as its three bindings carry it.

use a2a_proto::a2a::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, Task, TaskPushNotificationConfig,
};
use a2a_tests::clients::A2aClient;
use http::Method;
use prost::Name;
use serde_json::Value;
use tonic::{Response, Status};

use crate::driver::{encoded, to_value, with_all};

/// A request as HTTP+JSON has it.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) method: Method,
    pub(crate) tenant: String,
    pub(crate) path: String,
    pub(crate) payload: Payload,
}

#[derive(Debug)]
pub(crate) enum Payload {
    Nothing,
    Query(String),
    Body(String),
}

/// A request with one answer.
pub(crate) trait Asked: prost::Message + Name + Default + Clone {
    type Answer: prost::Message + Name + Default + std::fmt::Debug;
    const METHOD: &str;

    fn over_rest(&self) -> Rest;

    fn over_grpc(
        self,
        client: A2aClient,
        parameters: &[(&'static str, String)],
    ) -> impl Future<Output = Result<Response<Self::Answer>, Status>>;
}

macro_rules! asked {
    ($request:ty, $answer:ty, $name:literal, $method:ident, |$of:ident| ($verb:ident, $path:expr, $payload:expr)) => {
        impl Asked for $request {
            type Answer = $answer;
            const METHOD: &str = $name;

            fn over_rest(&self) -> Rest {
                let $of = self;
                Rest { method: Method::$verb, tenant: self.tenant.clone(), path: $path, payload: $payload }
            }

            async fn over_grpc(
                self,
                mut client: A2aClient,
                parameters: &[(&'static str, String)],
            ) -> Result<Response<Self::Answer>, Status> {
                client.$method(with_all(self, parameters)).await
            }
        }
    };
}

asked!(SendMessageRequest, SendMessageResponse, "SendMessage", send_message, |of| (
    POST,
    "/message:send".to_owned(),
    body(of, &[])
));
asked!(GetTaskRequest, Task, "GetTask", get_task, |of| (GET, task(&of.id), query(of, &["id"])));
asked!(ListTasksRequest, ListTasksResponse, "ListTasks", list_tasks, |of| (
    GET,
    "/tasks".to_owned(),
    query(of, &[])
));
asked!(CancelTaskRequest, Task, "CancelTask", cancel_task, |of| (
    POST,
    format!("{}:cancel", task(&of.id)),
    body(of, &["id"])
));
asked!(
    TaskPushNotificationConfig,
    TaskPushNotificationConfig,
    "CreateTaskPushNotificationConfig",
    create_task_push_notification_config,
    |of| (POST, configs(&of.task_id), body(of, &["taskId"]))
);
asked!(
    GetTaskPushNotificationConfigRequest,
    TaskPushNotificationConfig,
    "GetTaskPushNotificationConfig",
    get_task_push_notification_config,
    |of| (GET, config(&of.task_id, &of.id), Payload::Nothing)
);
asked!(
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
    "ListTaskPushNotificationConfigs",
    list_task_push_notification_configs,
    |of| (GET, configs(&of.task_id), query(of, &["taskId"]))
);
asked!(
    DeleteTaskPushNotificationConfigRequest,
    (),
    "DeleteTaskPushNotificationConfig",
    delete_task_push_notification_config,
    |of| (DELETE, config(&of.task_id, &of.id), Payload::Nothing)
);
asked!(GetExtendedAgentCardRequest, AgentCard, "GetExtendedAgentCard", get_extended_agent_card, |_of| (
    GET,
    "/extendedAgentCard".to_owned(),
    Payload::Nothing
));

fn task(id: &str) -> String {
    format!("/tasks/{}", encoded(id))
}

fn configs(task_id: &str) -> String {
    format!("{}/pushNotificationConfigs", task(task_id))
}

fn config(task_id: &str, id: &str) -> String {
    format!("{}/{}", configs(task_id), encoded(id))
}

fn body<M: prost::Message + Name>(message: &M, in_path: &[&str]) -> Payload {
    Payload::Body(without(message, in_path).to_string())
}

fn query<M: prost::Message + Name>(message: &M, in_path: &[&str]) -> Payload {
    let Value::Object(fields) = without(message, in_path) else { return Payload::Nothing };
    let pairs = fields.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}={}", encoded(text)),
        other => format!("{name}={}", encoded(&other.to_string())),
    });
    Payload::Query(pairs.collect::<Vec<_>>().join("&"))
}

/// What is in the path is not said twice.
fn without<M: prost::Message + Name>(message: &M, in_path: &[&str]) -> Value {
    let mut value = to_value(message);
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, _| name != "tenant" && !in_path.contains(&name.as_str()));
    }
    value
}
