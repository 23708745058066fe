//! A sample agent: takes work from the task service and answers it.

use std::process::ExitCode;

use a2a_demo::agent;

#[tokio::main]
async fn main() -> ExitCode {
    agent::main(agent::steps).await
}
