//! Cards of tenants: shown to them, and the rule for their calls.

use std::fs;

use a2a_proto::a2a::SendMessageRequest;
use a2a_tests::{clients, process::ServiceOptions};
use serde_json::json;
use tempfile::tempdir;

use super::{PATH, card};
use crate::{driver::Ask, raw::Reply, stage::Stage};

#[tokio::test]
async fn a_card_of_their_own() {
    let dir = tempdir().unwrap();
    let streaming = json!({"streaming": true});
    fs::write(dir.path().join("acme%2Feu.json"), card("Of acme/eu", &streaming).to_string()).unwrap();
    fs::write(dir.path().join("globex.yaml"), card("Of globex", &json!({})).to_string()).unwrap();
    fs::write(dir.path().join("README.md"), "no card").unwrap();
    let options = ServiceOptions::default().flag("agent-cards", dir.path().display());
    let stage = Stage::set_with(options).await;
    for (tenant, name) in [("acme%2Feu", "Of acme/eu"), ("globex", "Of globex")] {
        let shown = Reply::of(stage.raw.get(&format!("/{tenant}{PATH}"))).await;
        assert_eq!(shown.json()["name"], name);
        assert!(!shown.header("etag").is_empty());
    }
    let shown = Reply::of(stage.raw.get(&format!("/acme%2Feu{PATH}"))).await.json();
    assert_eq!(shown["supportedInterfaces"][0]["tenant"], "acme/eu");
    assert_eq!(Reply::of(stage.raw.get(&format!("/other{PATH}"))).await.status, 404);
    for driver in stage.drivers().await {
        for (tenant, streams) in [("acme/eu", true), ("globex", false), ("other", true), ("", true)] {
            let send = SendMessageRequest { tenant: tenant.into(), ..clients::send("hello") };
            let opened = driver.stream(Ask::Send(send)).await;
            assert_eq!(opened.is_ok(), streams, "{:?} {tenant}", driver.door);
        }
    }
}
