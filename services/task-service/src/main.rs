//! The A2A task service.

use std::process::ExitCode;

use a2a_runtime::{error_chain::describe, panic, settings, shutdown::Shutdown, telemetry, tls};
use a2a_task_service::{Command, SIBLINGS, Settings, reseal, run};

#[tokio::main]
async fn main() -> ExitCode {
    let settings: Settings = settings::parse(SIBLINGS);
    match start(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("a2a-task-service: {}", describe(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

async fn start(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    tls::install_crypto_provider()?;
    let telemetry = telemetry::init(&settings.telemetry, "a2a-task-service", env!("CARGO_PKG_VERSION"))?;
    panic::install_hook();
    let shutdown = Shutdown::install()?;
    match settings.command {
        Some(Command::Reseal) => reseal(&settings).await?,
        None => run(settings, telemetry.log_handle(), shutdown).await?,
    }
    telemetry.shutdown().await;
    Ok(())
}
