//! A webhook receiver: checks who calls, and prints each event on a line.

use std::process::ExitCode;

use a2a_demo::receiver::{self, Settings};
use a2a_runtime::{error_chain::describe, shutdown::Shutdown};
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    let outcome = async { receiver::run(settings, &Shutdown::install()?).await };
    match outcome.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", describe(&error));
            ExitCode::FAILURE
        }
    }
}
