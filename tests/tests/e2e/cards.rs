//! Deployments whose agent card declares something of its own.

use std::io::Write as _;

use a2a_tests::process::ServiceOptions;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{calls::EXTENSION, stage::Stage};

/// A stage whose card declares these capabilities.
pub(crate) async fn declaring(capabilities: Value) -> Stage {
    let card = file(&capabilities);
    Stage::set_with(ServiceOptions::default().flag("agent-card", card.path().display())).await
}

/// A stage whose card requires an extension.
pub(crate) async fn requiring_an_extension() -> Stage {
    declaring(json!({
        "streaming": true,
        "pushNotifications": true,
        "extendedAgentCard": true,
        "extensions": [{"uri": EXTENSION, "required": true}, {"uri": "urn:optional"}],
    }))
    .await
}

/// A card in a file that lives as long as the value.
pub(crate) fn file(capabilities: &Value) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(card(capabilities).to_string().as_bytes()).expect("write a card");
    file
}

fn card(capabilities: &Value) -> Value {
    json!({
        "name": "An agent",
        "description": "Made for a test",
        "version": "1",
        "supportedInterfaces":
            [{"url": "127.0.0.1:1", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
        "capabilities": capabilities,
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "S", "description": "Does s", "tags": ["s"]}],
    })
}
