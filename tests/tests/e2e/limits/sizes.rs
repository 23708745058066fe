//! How much a message, an artifact or a request may hold.

use a2a_proto::{
    a2a::{Artifact, Message, Part, SendMessageRequest},
    agent::{TransitionRequest, UpdateArtifactRequest},
};
use a2a_tests::{clients, process::ServiceOptions};
use prost_types::{Struct, Value, value::Kind};
use tonic::Code;

use crate::{
    calls::{assert_bad_field, assert_refused, at_once, cancel, message_of, put},
    inspect::fingerprint,
    stage::{Stage, transition},
};

/// Metadata of so many bytes on the wire.
fn metadata(bytes: usize) -> Option<Struct> {
    // The map's entry: tag and length, the key `k`, the value's tag and length,
    // the text's tag and length.
    const AROUND: usize = 9;
    let value = Value { kind: Some(Kind::StringValue("x".repeat(bytes - AROUND))) };
    Some(Struct { fields: [("k".to_owned(), value)].into() })
}

/// A text part of so many bytes on the wire.
fn part(bytes: usize) -> Part {
    const AROUND: usize = 2;
    clients::text_part(&"x".repeat(bytes - AROUND))
}

fn sent(parts: Vec<Part>) -> SendMessageRequest {
    at_once(message_of("", Message { parts, ..clients::user_text("") }))
}

#[tokio::test]
async fn parts() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-parts", 3)).await;
    let task = stage.working("hello").await;
    let parts = |count: usize| vec![part(3); count];
    stage.client.send_message(sent(parts(3))).await.expect("as many as there may be");
    assert_bad_field(&stage.client.send_message(sent(parts(4))).await.unwrap_err(), "message.parts");
    stage.agent.update_artifact(artifact(&task, parts(3))).await.expect("as many as there may be");
    let refused = stage.agent.update_artifact(artifact(&task, parts(4))).await.unwrap_err();
    assert_bad_field(&refused, "artifact.parts");
    let refused = stage.agent.report_progress(says(&task, parts(4))).await.unwrap_err();
    assert_bad_field(&refused, "statusMessage.parts");
}

#[tokio::test]
async fn part_bytes() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-part-bytes", 100)).await;
    let task = stage.working("hello").await;
    let (fits, too_large) = (vec![part(100)], vec![part(100), part(101)]);
    stage.client.send_message(sent(fits.clone())).await.expect("as large as may be");
    assert_bad_field(
        &stage.client.send_message(sent(too_large.clone())).await.unwrap_err(),
        "message.parts[1]",
    );
    stage.agent.update_artifact(artifact(&task, fits)).await.expect("as large as may be");
    let refused = stage.agent.update_artifact(artifact(&task, too_large.clone())).await.unwrap_err();
    assert_bad_field(&refused, "artifact.parts[1]");
    let refused = stage.agent.report_progress(says(&task, too_large)).await.unwrap_err();
    assert_bad_field(&refused, "statusMessage.parts[1]");
}

#[tokio::test]
async fn message_bytes() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-message-bytes", 1_000)).await;
    let task = stage.working("hello").await;
    let parts = |part_bytes: usize| vec![part(part_bytes); 10];
    stage.client.send_message(sent(parts(90))).await.expect("900 bytes and an id");
    assert_bad_field(&stage.client.send_message(sent(parts(100))).await.unwrap_err(), "message");
    stage.agent.update_artifact(artifact(&task, parts(90))).await.expect("900 bytes and an id");
    let refused = stage.agent.update_artifact(artifact(&task, parts(100))).await.unwrap_err();
    assert_bad_field(&refused, "artifact");
    let refused = stage.agent.report_progress(says(&task, parts(100))).await.unwrap_err();
    assert_bad_field(&refused, "statusMessage");
}

#[tokio::test]
async fn metadata_bytes_of_clients() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-metadata-bytes", 100)).await;
    let task = stage.working("hello").await;
    let plain = || sent(vec![part(3)]);
    for (bytes, fits) in [(100, true), (101, false)] {
        let of_request = SendMessageRequest { metadata: metadata(bytes), ..plain() };
        let mut of_message = plain();
        of_message.message.as_mut().unwrap().metadata = metadata(bytes);
        let of_part = sent(vec![Part { metadata: metadata(bytes), ..part(3) }]);
        let requests = [
            ("metadata", of_request),
            ("message.metadata", of_message),
            ("message.parts[0].metadata", of_part),
        ];
        for (field, request) in requests {
            match stage.client.send_message(request).await {
                Ok(_) => assert!(fits, "{field} of {bytes} bytes was taken"),
                Err(refused) if !fits => assert_bad_field(&refused, field),
                Err(refused) => panic!("{field} of {bytes} bytes: {refused:?}"),
            }
        }
    }
    let mut refused = cancel(&task.id);
    refused.metadata = metadata(101);
    assert_bad_field(&stage.client.cancel_task(refused.clone()).await.unwrap_err(), "metadata");
    refused.metadata = metadata(100);
    stage.client.cancel_task(refused).await.expect("as large as may be");
}

#[tokio::test]
async fn metadata_bytes_of_agents() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-metadata-bytes", 100)).await;
    let task = stage.working("hello").await;
    let of_move = TransitionRequest { metadata: metadata(101), ..transition(&task) };
    assert_bad_field(&stage.agent.report_progress(of_move).await.unwrap_err(), "metadata");
    let mut of_word = says(&task, vec![part(3)]);
    of_word.status_message.as_mut().unwrap().metadata = metadata(101);
    assert_bad_field(&stage.agent.report_progress(of_word).await.unwrap_err(), "statusMessage.metadata");
    let of_update = UpdateArtifactRequest { metadata: metadata(101), ..put(&task, "a", "1") };
    assert_bad_field(&stage.agent.update_artifact(of_update).await.unwrap_err(), "metadata");
    let mut of_artifact = put(&task, "a", "1");
    of_artifact.artifact.as_mut().unwrap().metadata = metadata(101);
    assert_bad_field(
        &stage.agent.update_artifact(of_artifact.clone()).await.unwrap_err(),
        "artifact.metadata",
    );
    of_artifact.artifact.as_mut().unwrap().metadata = metadata(100);
    stage.agent.update_artifact(of_artifact).await.expect("as large as may be");
}

#[tokio::test]
async fn request_bytes() {
    let mut stage = Stage::set_with(ServiceOptions::default().flag("max-request-bytes", 2_000)).await;
    let task = stage.working("hello").await;
    stage.client.send_message(sent(vec![part(1_900)])).await.expect("below the limit");
    let before = fingerprint(&stage.redis).await;
    let refused = stage.client.send_message(sent(vec![part(2_000)])).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    let refused = stage.agent.update_artifact(artifact(&task, vec![part(2_000)])).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

fn artifact(task: &a2a_proto::a2a::Task, parts: Vec<Part>) -> UpdateArtifactRequest {
    let artifact = Artifact { artifact_id: "a".to_owned(), parts, ..Artifact::default() };
    UpdateArtifactRequest {
        id: task.id.clone(),
        artifact: Some(artifact),
        ..UpdateArtifactRequest::default()
    }
}

fn says(task: &a2a_proto::a2a::Task, parts: Vec<Part>) -> TransitionRequest {
    let message = Message { parts, ..clients::agent_text("") };
    TransitionRequest { status_message: Some(message), ..transition(task) }
}
