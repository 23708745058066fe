//! Third-party clients over HTTP, which find the service by its agent card: the
//! official SDKs of Python and JavaScript.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use a2a_tests::process::ServiceOptions;
use tempfile::{TempDir, tempdir};
use tokio::{process::Command, time::timeout};

use crate::{
    python,
    stage::{SOON, Stage},
};

const VARIABLE: &str = "A2A_TEST_NODE";

#[tokio::test]
async fn python_over_json_rpc() {
    let (_keys, stage, key) = signed().await;
    python::run("http_client.py", &[&url(&stage), "JSONRPC", &key]).await;
}

#[tokio::test]
async fn python_over_http_json() {
    let (_keys, stage, key) = signed().await;
    python::run("http_client.py", &[&url(&stage), "HTTP+JSON", &key]).await;
}

#[tokio::test]
async fn javascript_over_every_binding() {
    let (_keys, stage, key) = signed().await;
    for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
        println!("{binding}\n{}", javascript("client.js", &[&url(&stage), binding, &key]).await);
    }
}

/// A stage whose card is signed, and the file with the public key.
async fn signed() -> (TempDir, Stage, String) {
    let dir = tempdir().unwrap();
    let [private, public] = ["private.pem", "public.pem"].map(|name| dir.path().join(name));
    python::run("signing_key.py", &[&text(&private), &text(&public)]).await;
    let options = ServiceOptions::default().flag("card-signing-key", private.display());
    (dir, Stage::set_with("agent_worker.py", options).await, text(&public))
}

fn url(stage: &Stage) -> String {
    format!("http://{}", stage.service.at.http)
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

async fn javascript(script: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(node());
    command.arg(root().join("tests/clients/js").join(script)).args(arguments).kill_on_drop(true);
    let output = timeout(SOON, command.output()).await.unwrap_or_else(|_| panic!("{script} does not end"));
    let output = output.expect("run node");
    let [said, failed] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{script} ended with {}\n{said}\n{failed}", output.status);
    said
}

/// A Node.js, with the packages of `tests/clients/js` installed.
fn node() -> &'static Path {
    static NODE: OnceLock<PathBuf> = OnceLock::new();
    NODE.get_or_init(|| std::env::var_os(VARIABLE).map_or_else(found_by_the_project, PathBuf::from))
}

fn found_by_the_project() -> PathBuf {
    let output = std::process::Command::new(root().join("deploy/dev/node")).output();
    let output = output.unwrap_or_else(|e| panic!("set {VARIABLE}: deploy/dev/node cannot be run: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "set {VARIABLE}, or see to what deploy/dev/node misses: {said}");
    String::from_utf8_lossy(&output.stdout).trim().into()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
