//! An agent that follows a script. It holds no state: what it was given and did
//! not finish is handed out again, to it or to another.

mod commands;
mod jobs;
mod script;
mod session;

use std::{error::Error, io::IsTerminal, process::ExitCode, time::Duration};

use a2a_runtime::{error_chain::describe, shutdown::Shutdown};
use backoff::{ExponentialBackoff, ExponentialBackoffBuilder, backoff::Backoff};
use clap::Parser;
use tokio::time::timeout;
use tonic::transport::Endpoint;
use tracing::{info, warn};

pub(crate) use self::script::text_part;
pub use self::script::{Asked, Move, Script, Step, steps};
use self::session::{Ended, Session};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const KEEP_ALIVE: Duration = Duration::from_secs(20);
const RECONNECT_FIRST: Duration = Duration::from_millis(100);
const RECONNECT_MOST: Duration = Duration::from_secs(5);

/// An agent: takes work from the task service and answers it.
#[derive(Debug, Clone, Parser)]
#[command(version)]
pub struct Settings {
    /// Where the task service listens for agents.
    #[arg(long, env = "DEMO_AGENT_ADDR", default_value = "127.0.0.1:50052", value_name = "HOST:PORT")]
    agent_addr: String,
    /// Shown in the task service's logs.
    #[arg(long, env = "DEMO_WORKER_NAME", default_value = "demo-agent")]
    worker_name: String,
    /// Most tasks worked on at once.
    #[arg(long, env = "DEMO_MAX_LEASES", default_value_t = 8)]
    max_leases: i32,
}

/// The whole process of an agent with this script.
pub async fn main(script: Script) -> ExitCode {
    let settings = Settings::parse();
    let stderr = std::io::stderr;
    tracing_subscriber::fmt().with_writer(stderr).with_ansi(stderr().is_terminal()).init();
    let outcome = async { run(&settings, script, &Shutdown::install()?).await };
    match outcome.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", describe(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Works until asked to stop, reconnecting whenever the service goes away.
///
/// # Errors
/// When the address is none.
pub async fn run(settings: &Settings, script: Script, shutdown: &Shutdown) -> Result<(), Box<dyn Error>> {
    let channel = Endpoint::from_shared(format!("http://{}", settings.agent_addr))?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_while_idle(true)
        .connect_lazy();
    let session = Session::new(channel, settings, script, shutdown);
    let mut delays = reconnect_delays();
    while !shutdown.is_stopping() {
        let Ended { reason, was_connected } = session.run().await;
        if was_connected {
            delays.reset();
        }
        let delay = delays.next_backoff().unwrap_or(RECONNECT_MOST);
        warn!(reason, delay_ms = delay.as_millis(), "no work is received");
        // Whichever comes first: the time to connect again, or the end.
        _ = timeout(delay, shutdown.stopping()).await;
    }
    info!("stopped");
    Ok(())
}

fn reconnect_delays() -> ExponentialBackoff {
    ExponentialBackoffBuilder::new()
        .with_initial_interval(RECONNECT_FIRST)
        .with_max_interval(RECONNECT_MOST)
        .with_max_elapsed_time(None)
        .build()
}

#[cfg(test)]
mod tests;
