//! The official SDK's client, a function of `sdk_client.py` a test.

use a2a_tests::process::ServiceOptions;
use tempfile::tempdir;

use crate::{
    python,
    stage::{Stage, with_card},
};

#[tokio::test]
async fn blocking_send() {
    scenario("blocking_send").await;
}

#[tokio::test]
async fn immediate_send() {
    scenario("immediate_send").await;
}

#[tokio::test]
async fn streaming() {
    scenario("streaming").await;
}

#[tokio::test]
async fn subscribe_from_a_second_connection() {
    scenario("subscribe_from_a_second_connection").await;
}

#[tokio::test]
async fn follow_up_to_input_required() {
    scenario("follow_up_to_input_required").await;
}

#[tokio::test]
async fn cancel_reaches_the_worker() {
    let mut stage = Stage::set().await;
    python::run("sdk_client.py", &[&stage.grpc(), "cancel"]).await;
    stage.worker.line_with("received WORK_KIND_CANCEL").await;
}

#[tokio::test]
async fn get_with_history() {
    scenario("get_with_history").await;
}

#[tokio::test]
async fn list_by_filter_and_page() {
    scenario("list_by_filter_and_page").await;
}

#[tokio::test]
async fn push_configs() {
    scenario("push_configs").await;
}

#[tokio::test]
async fn typed_errors() {
    scenario("typed_errors").await;
}

#[tokio::test]
async fn direct_reply() {
    let options = ServiceOptions::default().flag("task-creation", "agent-decides");
    let stage = Stage::set_with("agent_worker.py", options).await;
    python::run("sdk_client.py", &[&stage.grpc(), "direct_reply"]).await;
}

#[tokio::test]
async fn without_capabilities() {
    on_card("without_capabilities", r#"{"extendedAgentCard":true}"#).await;
}

#[tokio::test]
async fn required_extension() {
    let extension = r#"{"extensions":[{"uri":"urn:example:needed","required":true}]}"#;
    on_card("required_extension", extension).await;
}

#[tokio::test]
async fn versions_that_are_accepted_by_every_rpc() {
    versions(&["missing", "", "1.0", "1.0.9"], "accepted").await;
}

#[tokio::test]
async fn versions_that_are_refused_by_every_rpc() {
    versions(&["0.3", "99.0"], "refused").await;
}

async fn scenario(name: &str) {
    let stage = Stage::set().await;
    python::run("sdk_client.py", &[&stage.grpc(), name]).await;
}

async fn on_card(name: &str, capabilities: &str) {
    let dir = tempdir().unwrap();
    let options =
        with_card(ServiceOptions::default(), "agent-card", &dir.path().join("card.json"), capabilities);
    let stage = Stage::set_with("agent_worker.py", options).await;
    python::run("sdk_client.py", &[&stage.grpc(), name]).await;
}

/// On a card that declares everything, so that every RPC has an answer.
async fn versions(versions: &[&str], expected: &str) {
    let dir = tempdir().unwrap();
    let capabilities = r#"{"streaming":true,"pushNotifications":true,"extendedAgentCard":true}"#;
    let mut options = ServiceOptions::default();
    for flag in ["agent-card", "extended-agent-card"] {
        options = with_card(options, flag, &dir.path().join(flag), capabilities);
    }
    let stage = Stage::set_with("agent_worker.py", options).await;
    for version in versions {
        println!("{}", python::run("sdk_versions.py", &[&stage.grpc(), version, expected]).await);
    }
}
