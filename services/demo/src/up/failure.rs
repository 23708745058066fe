use std::{
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use super::Mismatch;

const TAIL_LINES: usize = 15;

/// Why a run ended early. Each says which step it was and what to do or read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    #[error(
        "port {port} ({what}) is taken: stop what listens there, or choose another port with --{flag} or {variable}"
    )]
    PortTaken { port: u16, what: &'static str, flag: &'static str, variable: &'static str },
    #[error(
        "no Redis: set REDIS_URL to a running one, or A2A_DEV_REDIS_SERVER to the path of a redis-server or valkey-server"
    )]
    NoRedis,
    #[error("no free port for Redis on 127.0.0.1: choose one with --redis-port or DEMO_REDIS_PORT")]
    NoFreePort,
    #[error("cannot prepare {}", path.display())]
    DataDir { path: PathBuf, source: io::Error },
    #[error("starting {name}: cannot run {}", program.display())]
    Spawn { name: &'static str, program: PathBuf, source: io::Error },
    #[error("starting {name}: not ready within {waited:?}; its log is {}", log.display())]
    NotReady { name: &'static str, waited: Duration, log: PathBuf },
    #[error("{name} ended with {status}; the end of its log, {}:\n{tail}", log.display())]
    Died { name: &'static str, status: ExitStatus, log: PathBuf, tail: String },
    #[error("sending the sample message; the task service's log is {}", log.display())]
    Send { log: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("streaming the sample task: no end within {waited:?}; the agent's log is {}", log.display())]
    Stream { waited: Duration, log: PathBuf },
    #[error(
        "delivering to the webhook: {received} of {expected} events within {waited:?}; the dispatcher's log is {}",
        log.display()
    )]
    Webhook { received: usize, expected: usize, waited: Duration, log: PathBuf },
    #[error("comparing webhook and stream; the dispatcher's log is {}", log.display())]
    Mismatch { log: PathBuf, source: Mismatch },
}

impl Failure {
    /// Of a part that ended by itself, with the last lines that it wrote.
    pub(super) fn died(name: &'static str, status: ExitStatus, log: &Path) -> Self {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
        Self::Died { name, status, log: log.to_owned(), tail }
    }
}
