//! The agent card (A2A section 8): where it is, what it says, how it is cached,
//! and how it changes while the service runs.

mod reload;
mod tenants;

use std::io::Write as _;

use a2a_tests::process::ServiceOptions;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{raw::Reply, stage::Stage};

pub(crate) const PATH: &str = "/.well-known/agent-card.json";

/// Every key that a card may have, at its top.
const KEYS: [&str; 14] = [
    "name",
    "description",
    "supportedInterfaces",
    "provider",
    "version",
    "documentationUrl",
    "capabilities",
    "securitySchemes",
    "securityRequirements",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "signatures",
    "iconUrl",
];

#[tokio::test]
async fn anyone_may_fetch_it() {
    let stage = Stage::set().await;
    let reply = Reply::of(stage.raw.bare(http::Method::GET, PATH)).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
    let card = reply.json();
    let keys: Vec<&String> = card.as_object().unwrap().keys().collect();
    assert!(keys.iter().all(|key| KEYS.contains(&key.as_str())), "{keys:?}");
    for required in ["name", "description", "version", "capabilities", "skills", "defaultInputModes"] {
        assert!(card.get(required).is_some(), "{required}");
    }
    let at = stage.service.at;
    let interface = |binding: &str, url: String| json!({"protocolBinding": binding, "url": url, "protocolVersion": "1.0"});
    let expected = json!([
        interface("GRPC", at.grpc.to_string()),
        interface("JSONRPC", format!("http://{}/", at.http)),
        interface("HTTP+JSON", format!("http://{}", at.http)),
    ]);
    assert_eq!(card["supportedInterfaces"], expected);
}

#[tokio::test]
async fn caches_keep_it_and_ask_again() {
    let stage = Stage::set().await;
    let reply = Reply::of(stage.raw.get(PATH)).await;
    assert!(reply.header("cache-control").contains("max-age="));
    let (etag, modified) = (reply.header("etag"), reply.header("last-modified"));
    assert!(etag.starts_with('"') && modified.ends_with("GMT"), "{reply:?}");
    for (name, value) in [
        ("If-None-Match", etag.to_owned()),
        ("If-None-Match", format!("\"other\", W/{etag}")),
        ("If-None-Match", "*".to_owned()),
        ("If-Modified-Since", modified.to_owned()),
    ] {
        let unchanged = Reply::of(stage.raw.get(PATH).header(name, &value)).await;
        assert_eq!((unchanged.status.as_u16(), unchanged.body.as_str()), (304, ""), "{name}: {value}");
        assert_eq!(unchanged.header("etag"), etag);
    }
    for (name, value) in
        [("If-None-Match", "\"other\""), ("If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT")]
    {
        assert_eq!(Reply::of(stage.raw.get(PATH).header(name, value)).await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn yaml_is_as_good_as_json() {
    let mut yaml = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    let text = "name: In YAML\ndescription: d\nversion: '1'\ncapabilities: {streaming: true}\n\
                defaultInputModes: [text/plain]\ndefaultOutputModes: [text/plain]\n\
                skills:\n- {id: s, name: S, description: d, tags: [t]}\n";
    yaml.write_all(text.as_bytes()).unwrap();
    let options = ServiceOptions::default().flag("agent-card", yaml.path().display());
    let stage = Stage::set_with(options).await;
    let card = Reply::of(stage.raw.get(PATH)).await.json();
    assert_eq!((&card["name"], &card["capabilities"]), (&json!("In YAML"), &json!({"streaming": true})));
    assert_eq!(card["supportedInterfaces"].as_array().map(Vec::len), Some(3));
}

/// A card that declares these capabilities, in a file that lives as long as the
/// value.
pub(crate) fn with_capabilities(capabilities: &Value) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(card("An agent", capabilities).to_string().as_bytes()).unwrap();
    file
}

/// A card without interfaces: the service fills them in.
fn card(name: &str, capabilities: &Value) -> Value {
    json!({
        "name": name,
        "description": "Made for a test",
        "version": "1",
        "capabilities": capabilities,
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "S", "description": "Does s", "tags": ["s"]}],
    })
}
