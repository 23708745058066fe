//! Contexts that have no task yet.

use a2a_proto::a2a::{Message, SendMessageRequest};
use a2a_tests::{clients, process::ServiceOptions};
use tonic::Code;

use crate::{
    calls::{as_tenant, assert_refused, at_once, keyed, message_of},
    inspect::fingerprint,
    stage::{Stage, task, transition},
};

fn refusing() -> ServiceOptions {
    ServiceOptions::default().flag("unknown-contexts", "refuse")
}

fn within(context: &str) -> SendMessageRequest {
    at_once(message_of("", Message { context_id: context.to_owned(), ..clients::user_text("hello") }))
}

#[tokio::test]
async fn an_unknown_one_is_refused_and_changes_nothing() {
    let mut stage = Stage::set_with(refusing()).await;
    stage.submitted("hello").await;
    let before = fingerprint(&stage.redis).await;
    let refused = stage.client.send_message(within("mine")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
    let refused = stage.client.send_streaming_message(within("mine")).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

#[tokio::test]
async fn that_of_a_task_is_taken_also_when_it_has_ended() {
    let mut stage = Stage::set_with(refusing()).await;
    let first = stage.submitted("hello").await;
    let second = task(stage.client.send_message(within(&first.context_id)).await.unwrap().into_inner());
    assert_eq!(second.context_id, first.context_id);
    for ended in [first, second.clone()] {
        stage.agent.complete_task(transition(&ended)).await.unwrap();
    }
    let third = task(stage.client.send_message(within(&second.context_id)).await.unwrap().into_inner());
    assert_eq!(third.context_id, second.context_id);
}

#[tokio::test]
async fn that_of_another_tenant_is_unknown() {
    let mut stage = Stage::set_with(refusing()).await;
    let ours = stage.submitted("hello").await;
    let refused = stage.client.send_message(as_tenant("acme", within(&ours.context_id))).await.unwrap_err();
    assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
}

#[tokio::test]
async fn a_refused_message_may_be_sent_again_under_its_key() {
    let mut stage = Stage::set_with(refusing()).await;
    let request = within("mine");
    for _ in 0..2 {
        let refused = stage.client.send_message(keyed("k", request.clone())).await.unwrap_err();
        assert_refused(&refused, Code::InvalidArgument, "CONTEXT_NOT_ACCEPTED");
    }
}

#[tokio::test]
async fn by_default_any_is_taken() {
    let mut stage = Stage::set().await;
    let made = task(stage.client.send_message(within("mine")).await.unwrap().into_inner());
    assert_eq!(made.context_id, "mine");
}
