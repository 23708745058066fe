//! The agent that the A2A conformance suite wants behind the service it tests.

use std::process::ExitCode;

use a2a_demo::{agent, conformance};

#[tokio::main]
async fn main() -> ExitCode {
    agent::main(conformance::steps).await
}
