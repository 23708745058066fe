//! What an item holds, and in which order items come.

use a2a_proto::{
    a2a::{SendMessageConfiguration, SendMessageRequest, TaskState},
    agent::{ReceiveWorkRequest, WorkKind},
};
use a2a_tests::clients::{self, follow_up};
use tonic::Request;

use super::worker::{LEASE_MS, Worker, lease, said, task, under_lease};
use crate::{
    moves::metadata,
    stage::{Stage, state},
};

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn asking_for_everything() -> Request<SendMessageRequest> {
    let configuration = SendMessageConfiguration {
        accepted_output_modes: vec!["text/plain".to_owned(), "image/png".to_owned()],
        return_immediately: true,
        ..SendMessageConfiguration::default()
    };
    let mut request = Request::new(SendMessageRequest {
        tenant: "acme".to_owned(),
        configuration: Some(configuration),
        metadata: Some(metadata("priority", "high")),
        ..clients::send("hello")
    });
    let headers = request.metadata_mut();
    headers.insert("a2a-extensions", "urn:one, urn:two".parse().expect("ASCII"));
    headers.insert("traceparent", TRACEPARENT.parse().expect("ASCII"));
    headers.insert("tracestate", "vendor=7".parse().expect("ASCII"));
    request
}

#[tokio::test]
async fn a_new_task_is_handed_out_with_all_that_its_client_asked() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    let sent = stage.client.send_message(asking_for_everything()).await.expect("send").into_inner();
    let sent = crate::stage::task(sent);
    let item = worker.next().await;
    assert_eq!(item.kind(), WorkKind::NewTask);
    assert_eq!((item.revision, item.delivery), (1, 1));
    assert_eq!(item.task.as_ref(), Some(&sent));
    let request = item.request.as_ref().expect("a request");
    assert_eq!(request.message.as_ref(), Some(&sent.history[0]));
    assert_eq!(request.accepted_output_modes, ["text/plain", "image/png"]);
    assert_eq!(request.metadata, Some(metadata("priority", "high")));
    assert_eq!(request.extensions, ["urn:one", "urn:two"]);
    assert_eq!(request.tenant, "acme");
    assert_eq!(request.tracestate, "vendor=7");
    assert_eq!(request.traceparent[3..35], TRACEPARENT[3..35], "the trace goes on");
    assert!(!lease(&item).token.is_empty() && lease(&item).expires_at.is_some());
    assert_eq!(lease(&item).remaining_ms, 30_000);
}

#[tokio::test]
async fn a_follow_up_to_a_held_task_comes_under_the_same_lease() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let first = worker.next().await;
    worker.agent.start_working(under_lease(&first)).await.expect("start");
    stage.send_in_background(follow_up(task(&first), "more"));
    let second = worker.next().await;
    assert_eq!(second.kind(), WorkKind::FollowUp);
    assert_eq!(said(&second), "more");
    assert_eq!(lease(&second).token, lease(&first).token);
    assert_eq!((second.revision, second.delivery), (3, 1));
    assert_eq!(state(task(&second)), "TASK_STATE_WORKING");
    worker.agent.complete_task(under_lease(&second)).await.expect("complete under the lease");
}

#[tokio::test]
async fn messages_to_a_working_task_arrive_in_order() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let first = worker.next().await;
    worker.agent.start_working(under_lease(&first)).await.expect("start");
    let texts: Vec<String> = (0..50).map(|n| format!("message {n}")).collect();
    for text in &texts {
        let mut request = follow_up(task(&first), text);
        request.configuration = clients::send_and_return("").configuration;
        stage.client.send_message(request).await.expect("send");
    }
    for text in &texts {
        assert_eq!(said(&worker.next().await), text);
    }
}

#[tokio::test]
async fn a_message_that_waited_for_input_starts_a_lease_of_its_own() {
    let mut stage = Stage::set().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    let first = worker.next().await;
    let asked = worker.agent.require_input(under_lease(&first)).await.expect("require input").into_inner();
    assert_eq!(asked.status.expect("a status").state(), TaskState::InputRequired);
    let answer = stage.send_in_background(follow_up(task(&first), "here"));
    let second = worker.next().await;
    assert_eq!((second.kind(), said(&second)), (WorkKind::FollowUp, "here"));
    assert_ne!(lease(&second).token, lease(&first).token);
    worker.agent.complete_task(under_lease(&second)).await.expect("complete");
    assert_eq!(state(&answer.await.expect("no panic").expect("an answer")), "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_worker_is_handed_the_work_of_its_tenants_only() {
    let mut stage = Stage::set().await;
    let serving = |tenants: &[&str]| ReceiveWorkRequest {
        tenants: tenants.iter().map(|&tenant| tenant.to_owned()).collect(),
        ..ReceiveWorkRequest::default()
    };
    let mut acme = Worker::start_with(&stage.service, serving(&["acme", "other"])).await;
    for tenant in ["", "hidden", "acme"] {
        let request = SendMessageRequest { tenant: tenant.to_owned(), ..clients::send_and_return(tenant) };
        stage.client.send_message(request).await.expect("send");
    }
    let mut nameless = Worker::start_with(&stage.service, serving(&[""])).await;
    assert_eq!(said(&nameless.next().await), "");
    assert_eq!(said(&acme.next().await), "acme");
    // Only now: it serves every tenant, and would take whatever is not yet held.
    let mut all = Worker::start(&stage.service, 0).await;
    assert_eq!(said(&all.next().await), "hidden");
}

#[tokio::test]
async fn the_lease_term_is_that_of_the_deployment() {
    let options = a2a_tests::process::ServiceOptions::default().flag("work-lease-ms", LEASE_MS);
    let mut stage = Stage::set_with(options).await;
    let mut worker = Worker::start(&stage.service, 1).await;
    stage.submitted("hello").await;
    assert_eq!(lease(&worker.next().await).remaining_ms, 500);
}
