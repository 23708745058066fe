//! GetExtendedAgentCard: what the card says beyond the public one.

use a2a_proto::a2a::GetExtendedAgentCardRequest;
use a2a_tests::process::ServiceOptions;
use serde_json::json;
use tonic::Code;

use crate::{
    calls::{
        EXTENSION, OLD, assert_extension_required, assert_old_version, assert_refused, at_version,
        with_extensions,
    },
    cards::{declaring, file, requiring_an_extension},
    stage::Stage,
};

const REQUEST: GetExtendedAgentCardRequest = GetExtendedAgentCardRequest { tenant: String::new() };

#[tokio::test]
async fn found() {
    let card = file(&json!({"extendedAgentCard": true}));
    let extended = file(&json!({"extendedAgentCard": true, "extensions": [{"uri": "urn:for-friends"}]}));
    let options = ServiceOptions::default()
        .flag("agent-card", card.path().display())
        .flag("extended-agent-card", extended.path().display());
    let mut stage = Stage::set_with(options).await;
    let found = stage.client.get_extended_agent_card(REQUEST).await.unwrap().into_inner();
    assert_eq!(found.name, "An agent");
    assert_eq!(found.capabilities.unwrap().extensions[0].uri, "urn:for-friends");
}

#[tokio::test]
async fn not_supported() {
    let mut stage = declaring(json!({"streaming": true})).await;
    let refused = stage.client.get_extended_agent_card(REQUEST).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn not_configured() {
    let mut stage = declaring(json!({"extendedAgentCard": true})).await;
    let refused = stage.client.get_extended_agent_card(REQUEST).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
}

#[tokio::test]
async fn version_not_supported() {
    let mut stage = Stage::set().await;
    let refused = stage.client.get_extended_agent_card(at_version(OLD, REQUEST)).await.unwrap_err();
    assert_old_version(&refused);
}

#[tokio::test]
async fn extension_required() {
    let mut stage = requiring_an_extension().await;
    assert_extension_required(&stage.client.get_extended_agent_card(REQUEST).await.unwrap_err());
    let named = with_extensions(EXTENSION, REQUEST);
    let refused = stage.client.get_extended_agent_card(named).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
}
