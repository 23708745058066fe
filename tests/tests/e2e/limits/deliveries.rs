//! How often a task is handed out to workers that die.

use a2a_proto::agent::ReceiveWorkRequest;
use a2a_tests::{clients, process::ServiceOptions};

use crate::{
    calls::subscribe,
    stage::{Stage, all, gist, next, text},
};

#[tokio::test]
async fn a_task_whose_workers_all_died_fails() {
    let options = ServiceOptions::default().flag("work-max-deliveries", 2).flag("work-lease-ms", 500);
    let mut stage = Stage::set_with(options).await;
    let answer = stage.send_in_background(clients::send("hello"));
    for delivery in 1..=2 {
        let mut agent = clients::agent(stage.service.at.agent_grpc).await;
        let request = ReceiveWorkRequest { max_leases: 1, ..ReceiveWorkRequest::default() };
        let mut work = agent.receive_work(request).await.unwrap().into_inner();
        assert_eq!(next(&mut work).await.delivery, delivery);
    }
    let task = stage.client.list_tasks(crate::calls::list("")).await.unwrap().into_inner().tasks.remove(0);
    let events = stage.client.subscribe_to_task(subscribe(&task.id)).await.unwrap().into_inner();
    let mut survivor = stage.worker(1).await;
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["task TASK_STATE_SUBMITTED", "TASK_STATE_FAILED"]);
    let failed = answer.await.unwrap().unwrap();
    let reason = failed.status.unwrap().message.unwrap();
    assert!(text(&reason.parts[0]).contains("2 workers"), "{reason:?}");
    stage.submitted("another").await;
    assert_eq!(next(&mut survivor).await.delivery, 1, "the survivor goes on");
}
