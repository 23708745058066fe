//! Starts everything, shows one streamed task and its webhook, and stays up.

use std::process::ExitCode;

use a2a_demo::up::{self, Settings};
use a2a_runtime::error_chain::describe;
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    match up::run(&Settings::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{}", describe(&failure));
            ExitCode::FAILURE
        }
    }
}
