//! The dispatcher: delivers the events of tasks to webhooks.

use std::process::ExitCode;

use a2a_dispatcher::process;
use a2a_dispatcher::settings::{SIBLINGS, Settings};
use a2a_runtime::error_chain::describe;
use a2a_runtime::settings::{Asked, parse};

#[tokio::main]
async fn main() -> ExitCode {
    let settings: Settings = match parse(SIBLINGS) {
        Asked::Serve(settings) => settings,
        Asked::Tool(tool) => return tool.run().await,
    };
    match process::run(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("a2a-dispatcher: {}", describe(&error));
            ExitCode::FAILURE
        }
    }
}
