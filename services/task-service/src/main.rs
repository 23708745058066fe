//! The A2A task service.

use std::process::ExitCode;

use a2a_runtime::{
    error_chain::describe,
    settings::{Asked, parse},
};
use a2a_task_service::{SIBLINGS, Settings, start};

#[tokio::main]
async fn main() -> ExitCode {
    let settings: Settings = match parse(SIBLINGS) {
        Asked::Serve(settings) => settings,
        Asked::Tool(tool) => return tool.run().await,
    };
    match start(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("a2a-task-service: {}", describe(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}
