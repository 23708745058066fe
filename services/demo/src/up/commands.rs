//! The command line of each part. Secrets go by environment: anyone may read a command line.

use std::{
    net::TcpListener,
    ops::Range,
    path::{Path, PathBuf},
};

use tokio::process::Command;

use super::{
    Settings,
    sample::Secrets,
    stack::{DISPATCHER, RECEIVER, TASK_SERVICE},
};

/// Below the ports that the system gives to outgoing connections.
const REDIS_PORTS: Range<u16> = 20_000..30_000;
const REDIS_PORT_TRIES: usize = 100;

pub(super) fn free_redis_port() -> Option<u16> {
    let mut ports = (0..REDIS_PORT_TRIES).map(|_| fastrand::u16(REDIS_PORTS));
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
}

/// Nobody but this machine reaches it, and nothing that was answered is lost.
pub(super) fn redis(server: &Path, dir: &Path, port: u16) -> Command {
    let mut command = Command::new(server);
    command.args(["--bind", "127.0.0.1", "--port"]).arg(port.to_string());
    command.args(["--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction", "--dir"]).arg(dir);
    command
}

pub(super) fn task_service(settings: &Settings, redis_url: &str) -> Command {
    let mut command = service(settings, TASK_SERVICE, redis_url);
    command
        .arg("--grpc-addr")
        .arg(settings.grpc().to_string())
        .arg("--agent-grpc-addr")
        .arg(settings.agent_grpc().to_string())
        .arg("--http-addr")
        .arg(settings.http().to_string())
        .arg("--admin-addr")
        .arg(settings.admin().to_string());
    if let Some(card) = &settings.conformance {
        command.args(["--task-creation", "agent-decides", "--agent-card"]).arg(card);
        command.arg("--extended-agent-card").arg(card);
    }
    command
}

pub(super) fn dispatcher(settings: &Settings, redis_url: &str) -> Command {
    let mut command = service(settings, DISPATCHER, redis_url);
    command
        .arg("--grpc-addr")
        .arg(settings.push_grpc().to_string())
        .arg("--admin-addr")
        .arg(settings.push_admin().to_string());
    command
}

pub(super) fn agent(settings: &Settings, name: &str) -> Command {
    let mut command = Command::new(beside(name));
    command.arg("--agent-addr").arg(settings.agent_grpc().to_string());
    command
}

pub(super) fn receiver(settings: &Settings, secrets: &Secrets) -> Command {
    let mut command = Command::new(beside(RECEIVER));
    command
        .arg("--addr")
        .arg(settings.receiver().to_string())
        .args(["--format", "json"])
        .env("DEMO_TOKEN", &secrets.token)
        .env("DEMO_CREDENTIALS", &secrets.credentials);
    command
}

/// The receiver stands on this machine and speaks plain HTTP, which the services
/// refuse unless told.
fn service(settings: &Settings, name: &str, redis_url: &str) -> Command {
    let mut command = Command::new(beside(name));
    command.env("A2A_REDIS_URL", redis_url).args([
        "--allow-webhook-cidr",
        "127.0.0.0/8",
        "--allow-webhook-http",
    ]);
    command.arg("--key-ring").arg(settings.key_ring());
    command
}

/// All binaries are built into one directory.
fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(name)
}
