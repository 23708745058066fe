//! Webhook configs (A2A section 3.1.7 to 3.1.10) on each binding, and what they
//! receive.

use a2a_proto::a2a::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, Task, TaskPushNotificationConfig,
};
use a2a_tests::{
    clients,
    process::{Dispatcher, Service, ServiceOptions},
    receiver::{Behaviour, WebhookReceiver},
};

use crate::{
    core::{NO_TASK, complete, each},
    driver::{Door, Driver},
    stage::{SOON, Stage, scenario, scenario_of, task},
};

#[tokio::test]
async fn configs_of_a_finished_task() {
    each(async |driver| {
        let done = complete(driver).await;
        let wanted = config(&done, "mine");
        assert_eq!(driver.call(wanted.clone()).await.unwrap(), wanted);
        let made =
            driver.call(TaskPushNotificationConfig { id: String::new(), ..wanted.clone() }).await.unwrap();
        assert!(!made.id.is_empty());
        assert_eq!(driver.call(get(&done, "mine")).await.unwrap(), wanted);
        let listed = driver.call(list(&done)).await.unwrap();
        assert_eq!((listed.configs.len(), listed.next_page_token.as_str()), (2, ""));
        assert_eq!(paged(driver, &done).await.len(), 2);
        for _ in 0..2 {
            driver.call(delete(&done, "mine")).await.unwrap();
        }
        assert_eq!(driver.call(get(&done, "mine")).await.unwrap_err().reason, "TASK_NOT_FOUND");
        assert_eq!(driver.call(list(&done)).await.unwrap().configs, [made]);
    })
    .await;
}

#[tokio::test]
async fn configs_of_no_task() {
    each(async |driver| {
        let none = Task { id: NO_TASK.into(), ..Task::default() };
        let refused = driver.call(config(&none, "x")).await.unwrap_err();
        assert_eq!(refused.reason, "TASK_NOT_FOUND");
        assert_eq!(driver.call(get(&none, "x")).await.unwrap_err(), refused);
        assert_eq!(driver.call(list(&none)).await.unwrap_err(), refused);
        assert_eq!(driver.call(delete(&none, "x")).await.unwrap_err(), refused);
    })
    .await;
}

#[tokio::test]
async fn a_bad_config_names_its_field() {
    each(async |driver| {
        let done = complete(driver).await;
        let bad = TaskPushNotificationConfig { url: "ftp://x".into(), ..config(&done, "x") };
        assert_eq!(driver.call(bad).await.unwrap_err().fields(), ["url"]);
        let inline = clients::with_push(scenario("x"), clients::push_config("x", "no url"));
        let fields = driver.call(inline).await.unwrap_err();
        assert_eq!(fields.fields(), ["configuration.taskPushNotificationConfig.url"]);
    })
    .await;
}

#[tokio::test]
async fn an_inline_config_is_notified_whichever_door_it_came_through() {
    let stage = Stage::with_conformance_agent().await;
    let _dispatcher: Dispatcher = Service::start(&stage.redis, ServiceOptions::default()).await;
    for door in Door::ALL {
        let driver = stage.driver(door).await;
        let receiver = WebhookReceiver::start(Behaviour::Accept).await;
        let config = clients::secret_push_config("hook", &receiver.url("/hook"), "a token", "credentials");
        let asked = clients::with_push(scenario("tck-input-required"), config);
        let asked = task(driver.call(asked).await.unwrap());
        driver.call(scenario_of(&asked, "tck-complete-task")).await.unwrap();
        let delivered = receiver.await_count(3, SOON).await;
        for request in delivered {
            assert_eq!(request.header("authorization"), Some("Bearer credentials"), "{door:?}");
            assert_eq!(request.header("x-a2a-notification-token"), Some("a token"), "{door:?}");
            assert!(request.event.is_ok(), "{door:?} {request:?}");
        }
    }
}

async fn paged(driver: &Driver, of: &Task) -> Vec<String> {
    let mut request = ListTaskPushNotificationConfigsRequest { page_size: 1, ..list(of) };
    let mut ids = Vec::new();
    loop {
        let page = driver.call(request.clone()).await.unwrap();
        ids.extend(page.configs.into_iter().map(|config| config.id));
        if page.next_page_token.is_empty() {
            return ids;
        }
        request.page_token = page.next_page_token;
    }
}

fn config(of: &Task, id: &str) -> TaskPushNotificationConfig {
    let config = clients::secret_push_config(id, "http://127.0.0.1:9/hook", "token", "secret");
    TaskPushNotificationConfig { task_id: of.id.clone(), ..config }
}

fn get(of: &Task, id: &str) -> GetTaskPushNotificationConfigRequest {
    GetTaskPushNotificationConfigRequest {
        task_id: of.id.clone(),
        id: id.to_owned(),
        ..GetTaskPushNotificationConfigRequest::default()
    }
}

fn list(of: &Task) -> ListTaskPushNotificationConfigsRequest {
    ListTaskPushNotificationConfigsRequest {
        task_id: of.id.clone(),
        ..ListTaskPushNotificationConfigsRequest::default()
    }
}

fn delete(of: &Task, id: &str) -> DeleteTaskPushNotificationConfigRequest {
    DeleteTaskPushNotificationConfigRequest {
        task_id: of.id.clone(),
        id: id.to_owned(),
        ..DeleteTaskPushNotificationConfigRequest::default()
    }
}
