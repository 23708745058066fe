//! From settings to a running process.

use std::error::Error;

use a2a_runtime::{panic, shutdown::Shutdown, telemetry, tls};

use crate::{
    app,
    reseal::reseal,
    settings::{Command, Settings},
};

/// Does what the command line asks for, to the end.
pub async fn start(settings: Settings) -> Result<(), Box<dyn Error>> {
    tls::install_crypto_provider()?;
    let telemetry = telemetry::init(&settings.telemetry, "a2a-task-service", env!("CARGO_PKG_VERSION"))?;
    panic::install_hook();
    let outcome: Result<(), Box<dyn Error>> = match settings.command {
        Some(Command::Reseal) => reseal(&settings).await.map_err(Into::into),
        None => {
            let shutdown = Shutdown::install()?;
            app::run(settings, telemetry.log_handle(), shutdown).await.map_err(Into::into)
        }
    };
    telemetry.shutdown().await;
    outcome
}
