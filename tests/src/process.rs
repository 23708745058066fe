//! The services as processes: started, asked to stop, killed and restarted.

mod binaries;
mod options;

use std::{
    net::SocketAddr,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::Signal;
use serde::{Deserialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

pub use self::options::ServiceOptions;
use crate::{logs::Logs, redis::RedisServer, signal};

const READY_DEADLINE: Duration = Duration::from_secs(60);

/// A running task service.
pub type TaskService = Service<TaskServiceAddrs>;
/// A running dispatcher.
pub type Dispatcher = Service<DispatcherAddrs>;

/// Where a task service listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct TaskServiceAddrs {
    /// For clients.
    pub grpc: SocketAddr,
    /// For workers.
    pub agent_grpc: SocketAddr,
    /// For clients over HTTP.
    pub http: SocketAddr,
    /// Health and metrics.
    pub admin: SocketAddr,
}

/// Where a dispatcher listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct DispatcherAddrs {
    /// For operators.
    pub grpc: SocketAddr,
    /// Health and metrics.
    pub admin: SocketAddr,
}

/// A kind of service: its binary, and the addresses in its ready line.
pub trait Addresses: DeserializeOwned {
    /// Name of the package and of its binary.
    const BINARY: &str;
    /// The flags that take an address to listen on.
    const ADDRESS_FLAGS: &[&str];
}

impl Addresses for TaskServiceAddrs {
    const BINARY: &str = "a2a-task-service";
    const ADDRESS_FLAGS: &[&str] = &["grpc-addr", "agent-grpc-addr", "http-addr", "admin-addr"];
}

impl Addresses for DispatcherAddrs {
    const BINARY: &str = "a2a-dispatcher";
    const ADDRESS_FLAGS: &[&str] = &["grpc-addr", "admin-addr"];
}

/// A child process that has said where it listens; killed on drop, and its log
/// is shown if the test fails.
#[derive(Debug)]
pub struct Service<A> {
    /// Where it listens; a restart keeps it.
    pub at: A,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    child: Child,
    logs: Logs,
}

impl<A: Addresses> Service<A> {
    /// Starts it on `redis` and returns when it listens.
    pub async fn start(redis: &RedisServer, options: ServiceOptions) -> Self {
        Self::start_at(&redis.url(), options).await
    }

    /// As `start`, with any Redis URL.
    pub async fn start_at(redis_url: &str, options: ServiceOptions) -> Self {
        let (arguments, environment) = options.into_arguments(redis_url, A::ADDRESS_FLAGS);
        let logs = Logs::new(A::BINARY);
        let mut child = spawn(A::BINARY, &arguments, &environment, &logs);
        let at = ready(A::BINARY, &mut child, &logs).await;
        Self { at, arguments, environment, child, logs }
    }

    /// Starts it again on the same addresses, killing it first if it still runs.
    pub async fn restart(&mut self) {
        self.kill().await;
        self.child = spawn(A::BINARY, &self.arguments, &self.environment, &self.logs);
        self.at = ready(A::BINARY, &mut self.child, &self.logs).await;
    }

    /// Waits until it ends by itself.
    ///
    /// # Panics
    /// When it still runs after `deadline`.
    pub async fn wait_exit(&mut self, deadline: Duration) -> ExitStatus {
        let Ok(status) = timeout(deadline, self.child.wait()).await else {
            panic!("{} still runs after {deadline:?}", A::BINARY)
        };
        status.expect("wait for a child")
    }
}

impl<A> Service<A> {
    /// Asks it to stop.
    pub fn sigterm(&self) {
        signal::send(&self.child, Signal::TERM);
    }

    /// SIGKILL; returns when the process is gone.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("kill a child");
    }

    /// SIGSTOP: connections stay open and nothing moves.
    pub fn pause(&self) {
        signal::send(&self.child, Signal::STOP);
    }

    /// SIGCONT.
    pub fn resume(&self) {
        signal::send(&self.child, Signal::CONT);
    }

    /// Its process id while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The newest lines of its log, over restarts.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.logs.lines()
    }

    /// Waits until its log holds a line with `needle`, and returns the line.
    pub async fn wait_for_log(&self, needle: &str, deadline: Duration) -> String {
        self.logs.wait_for(needle, deadline).await
    }
}

impl<A> Drop for Service<A> {
    fn drop(&mut self) {
        self.logs.print_on_failure();
    }
}

fn spawn(binary: &str, arguments: &[String], environment: &[(String, String)], logs: &Logs) -> Child {
    let path = binaries::path(binary);
    let mut command = Command::new(&path);
    // The settings of whoever runs the tests must not reach the service.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("A2A_")) {
        command.env_remove(name);
    }
    let mut child = command
        .args(arguments)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|e| panic!("cannot run {}: {e}", path.display()));
    logs.follow(child.stderr.take().expect("stderr is piped"));
    child
}

/// Reads the ready line; what follows it on stdout goes to the log.
async fn ready<A: DeserializeOwned>(binary: &str, child: &mut Child, logs: &Logs) -> A {
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut line = String::new();
    let Ok(read) = timeout(READY_DEADLINE, stdout.read_line(&mut line)).await else {
        panic!("{binary} is not ready within {READY_DEADLINE:?}\n{logs}")
    };
    if read.expect("read from a child") == 0 {
        ended_early(binary, child, logs).await;
    }
    logs.follow(stdout);
    parse_ready(&line).unwrap_or_else(|e| panic!("{binary} says {line:?} instead of where it listens: {e}"))
}

async fn ended_early(binary: &str, child: &mut Child, logs: &Logs) -> ! {
    let status = child.wait().await.expect("wait for a child");
    logs.ended().await;
    panic!("{binary} ended before it was ready, with {status}\n{logs}")
}

fn parse_ready<A: DeserializeOwned>(line: &str) -> serde_json::Result<A> {
    #[derive(Deserialize)]
    struct Line<A> {
        ready: A,
    }
    serde_json::from_str(line).map(|Line { ready }| ready)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addr(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ready_lines_are_read() {
        let line = concat!(
            r#"{"ready":{"grpc":"127.0.0.1:1","agent_grpc":"127.0.0.1:2","#,
            r#""http":"127.0.0.1:4","admin":"127.0.0.1:3","later":1}}"#
        );
        let task_service: TaskServiceAddrs = parse_ready(line).unwrap();
        assert_eq!(task_service.agent_grpc, addr("127.0.0.1:2"));
        let dispatcher: DispatcherAddrs = parse_ready(line).unwrap();
        assert_eq!((dispatcher.grpc, dispatcher.admin), (addr("127.0.0.1:1"), addr("127.0.0.1:3")));
        assert!(parse_ready::<DispatcherAddrs>("hello").is_err());
    }

    #[tokio::test]
    async fn a_ready_line_is_awaited_and_later_lines_are_kept() {
        let logs = Logs::new("child");
        let mut child = shell(r#"echo '{"ready":{"grpc":"127.0.0.1:1","admin":"127.0.0.1:2"}}'; echo more"#);
        let at: DispatcherAddrs = ready("child", &mut child, &logs).await;
        assert_eq!(at.admin, addr("127.0.0.1:2"));
        logs.wait_for("more", READY_DEADLINE).await;
    }

    #[tokio::test]
    #[should_panic(expected = "bad flag")]
    async fn a_child_that_ends_early_is_reported_with_its_log() {
        let logs = Logs::new("child");
        let mut child = shell("echo bad flag >&2; exit 2");
        logs.follow(child.stderr.take().unwrap());
        ready::<DispatcherAddrs>("child", &mut child, &logs).await;
    }

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn().unwrap()
    }
}
