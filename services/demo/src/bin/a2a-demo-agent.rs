//! A sample agent: takes work from the task service and answers it.

use std::{io::IsTerminal, process::ExitCode};

use a2a_demo::agent::{self, Settings};
use a2a_runtime::{error_chain::describe, shutdown::Shutdown};
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::parse();
    let stderr = std::io::stderr;
    tracing_subscriber::fmt().with_writer(stderr).with_ansi(stderr().is_terminal()).init();
    let outcome = async { agent::run(&settings, &Shutdown::install()?).await };
    match outcome.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", describe(&*error));
            ExitCode::FAILURE
        }
    }
}
