//! Cards that change while the service runs.

use std::{fs, os::unix::fs::symlink, path::Path};

use a2a_proto::a2a::TaskState;
use a2a_tests::{process::ServiceOptions, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::{PATH, card};
use crate::{
    driver::{Ask, Door},
    raw::Reply,
    stage::{SOON, Stage},
    streaming::subscribe,
};

/// Longer than any test, so that only the signal makes the service look.
const NEVER_MS: u64 = 3_600_000;

#[tokio::test]
async fn a_swapped_folder_is_seen_and_no_stream_is_lost() {
    let (dir, mut stage) = mounted(50).await;
    let before = Reply::of(stage.raw.get(PATH)).await;
    let task = stage.in_state(TaskState::Working).await;
    let driver = stage.driver(Door::HttpJson).await;
    let mut stream = driver.stream(Ask::Subscribe(subscribe(&task.id))).await.unwrap();
    stream.item().await;
    mount(dir.path(), "2", &card("Second", &json!({})).to_string());
    shown(&stage, "Second").await;
    let after = Reply::of(stage.raw.get(PATH)).await;
    assert_ne!(before.header("etag"), after.header("etag"));
    let refused = driver.stream(Ask::Subscribe(subscribe(&task.id))).await.err().unwrap();
    assert_eq!(refused.reason, "UNSUPPORTED_OPERATION", "the new card declares no streams");
    stage.move_to(&task, TaskState::Completed).await;
    stream.item().await;
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_signal_makes_it_look_at_once() {
    let (dir, stage) = mounted(NEVER_MS).await;
    mount(dir.path(), "2", &card("Second", &json!({})).to_string());
    hang_up(&stage);
    shown(&stage, "Second").await;
}

#[tokio::test]
async fn a_bad_card_is_refused_and_the_old_one_stays() {
    let (dir, stage) = mounted(NEVER_MS).await;
    let mut bad = card("Bad", &json!({}));
    bad["supportedInterfaces"] =
        json!([{"protocolBinding": "JSONRPC", "url": "nowhere", "protocolVersion": "1.0"}]);
    for (version, text, said) in [
        ("2", bad.to_string(), "supportedInterfaces[0].url must be an absolute http or https URL"),
        ("3", "{".to_owned(), "is no AgentCard"),
        ("4", r#"{"name":7}"#.to_owned(), "is no AgentCard: name"),
    ] {
        mount(dir.path(), version, &text);
        hang_up(&stage);
        stage.service.wait_for_log(said, SOON).await;
        assert_eq!(Reply::of(stage.raw.get(PATH)).await.json()["name"], "First");
    }
    mount(dir.path(), "5", &card("Good again", &json!({})).to_string());
    hang_up(&stage);
    shown(&stage, "Good again").await;
}

/// A folder as Kubernetes mounts it: the files are links through `..data`, which
/// is swapped.
async fn mounted(poll_ms: u64) -> (TempDir, Stage) {
    let dir = tempdir().unwrap();
    mount(dir.path(), "1", &card("First", &json!({"streaming": true})).to_string());
    symlink("..data/card.json", dir.path().join("card.json")).unwrap();
    let options = ServiceOptions::default()
        .flag("agent-card", dir.path().join("card.json").display())
        .flag("card-poll-ms", poll_ms);
    let stage = Stage::set_with(options).await;
    assert_eq!(Reply::of(stage.raw.get(PATH)).await.json()["name"], "First");
    (dir, stage)
}

fn mount(dir: &Path, version: &str, card: &str) {
    let folder = format!("..{version}");
    fs::create_dir(dir.join(&folder)).unwrap();
    fs::write(dir.join(&folder).join("card.json"), card).unwrap();
    symlink(&folder, dir.join("..new")).unwrap();
    fs::rename(dir.join("..new"), dir.join("..data")).unwrap();
}

fn hang_up(stage: &Stage) {
    let pid = i32::try_from(stage.service.pid().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::HUP).unwrap();
}

async fn shown(stage: &Stage, name: &str) {
    until("the card is replaced", SOON, || async {
        let card: Value = Reply::of(stage.raw.get(PATH)).await.json();
        (card["name"] == name).then_some(())
    })
    .await;
}
