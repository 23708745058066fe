//! Tenants: in the path of HTTP+JSON, in the message of the others.

use a2a_proto::a2a::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest,
};
use a2a_tests::clients;

use crate::{
    driver::Ask,
    events::gist,
    raw::Reply,
    stage::{Stage, task},
};

const TENANTS: [&str; 4] = ["acme", "acme/eu west", "tasks", "ümläut?&#%"];

#[tokio::test]
async fn a_task_belongs_to_its_tenant_behind_every_door() {
    let stage = Stage::set().await;
    let drivers = stage.drivers().await;
    for tenant in TENANTS {
        for maker in &drivers {
            let send = SendMessageRequest { tenant: tenant.to_owned(), ..clients::send_and_return("hello") };
            let made = task(maker.call(send).await.unwrap());
            for driver in &drivers {
                let id = made.id.clone();
                let get = |tenant: &str| GetTaskRequest {
                    tenant: tenant.into(),
                    id: id.clone(),
                    ..Default::default()
                };
                assert_eq!(driver.call(get(tenant)).await.unwrap(), made, "{tenant} {driver:?}");
                for stranger in ["", "globex"] {
                    let refused = driver.call(get(stranger)).await.unwrap_err();
                    assert_eq!(refused.reason, "TASK_NOT_FOUND", "{tenant} {driver:?}");
                }
                let request = SubscribeToTaskRequest { tenant: tenant.into(), id };
                let mut events = driver.stream(Ask::Subscribe(request)).await.unwrap();
                assert_eq!(gist(&events.item().await), "task SUBMITTED");
            }
            let cancel = CancelTaskRequest { tenant: tenant.into(), id: made.id, ..Default::default() };
            maker.call(cancel).await.unwrap();
        }
        for driver in &drivers {
            let list = ListTasksRequest { tenant: tenant.into(), ..Default::default() };
            assert_eq!(driver.call(list).await.unwrap().total_size, 3, "{tenant} {driver:?}");
            assert_eq!(driver.call(ListTasksRequest::default()).await.unwrap().total_size, 0);
        }
    }
}

#[tokio::test]
async fn the_tenant_of_the_path_comes_first_and_then_that_of_the_body_or_query() {
    let stage = Stage::set().await;
    let body = serde_json::json!({
        "tenant": "globex",
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]},
        "configuration": {"returnImmediately": true},
    });
    let mut ids = Vec::new();
    for path in ["/acme/message:send", "/message:send"] {
        ids.push(Reply::of(stage.raw.post(path, &body)).await.json()["task"]["id"].clone());
    }
    for (path, id) in [
        ("/acme/tasks", &ids[0]),
        ("/acme/tasks?tenant=globex", &ids[0]),
        ("/tasks?tenant=acme", &ids[0]),
        ("/globex/tasks", &ids[1]),
    ] {
        let page = Reply::of(stage.raw.get(path)).await.json();
        assert_eq!((&page["totalSize"], &page["tasks"][0]["id"]), (&1.into(), id), "{path}");
    }
    assert_eq!(Reply::of(stage.raw.get("/tasks")).await.json()["totalSize"], 0);
}
