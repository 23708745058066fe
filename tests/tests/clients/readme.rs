//! The two snippets of the README do what they say.

use a2a_tests::process::{Dispatcher, Service, ServiceOptions};

use crate::{
    python::{self, Script},
    stage::Stage,
};

#[tokio::test]
async fn the_snippets_talk_to_each_other() {
    let stage = Stage::set_with("readme_agent.py", ServiceOptions::default()).await;
    let _dispatcher: Dispatcher = Service::start(&stage.redis, ServiceOptions::default()).await;
    let mut receiver = Script::start("webhook_receiver.py", &["", ""]);
    let said = python::run("readme_client.py", &[&stage.grpc(), &receiver.line().await]).await;
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert_eq!(lines, ["task", "status_update", "artifact_update You wrote: Hello there", "status_update"]);
    let delivered = [
        "task SUBMITTED",
        "status_update WORKING",
        "artifact_update You wrote: Hello there",
        "status_update COMPLETED",
    ];
    assert_eq!(receiver.finish().await[1..], delivered);
}
