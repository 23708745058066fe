//! A Redis server of one's own: started, killed, paused and restarted at will.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use redis::aio::MultiplexedConnection;
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::{logs::Logs, ports, signal, until};

const BINARY_VARIABLE: &str = "A2A_TEST_REDIS_SERVER";
const BINARIES: [&str; 2] = ["redis-server", "valkey-server"];
const START_DEADLINE: Duration = Duration::from_secs(20);
const START_TRIES: usize = 5;

/// When the append-only file is flushed to disk, if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AppendOnly {
    /// Nothing survives a kill.
    No,
    /// A kill of the machine may cost a second; a kill of the process nothing.
    #[default]
    EverySec,
    /// What was answered is on disk.
    Always,
}

/// How the server is started.
#[derive(Debug, Clone, Default)]
pub struct RedisOptions {
    /// Whether data survives a restart.
    pub append_only: AppendOnly,
    /// Further arguments, such as `--maxmemory`, `64mb`.
    pub extra: Vec<String>,
}

/// A server on a free loopback port, in a directory of its own; killed on drop.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    options: RedisOptions,
    child: Child,
    logs: Logs,
    dir: TempDir,
}

impl RedisServer {
    /// Starts the binary named by `A2A_TEST_REDIS_SERVER`, else the first of
    /// `redis-server` and `valkey-server` on the path, and waits for its PONG.
    pub async fn start(options: RedisOptions) -> Self {
        let dir = TempDir::with_prefix("a2a-redis-").expect("a temporary directory");
        let logs = Logs::new("redis");
        for _ in 0..START_TRIES {
            let port = ports::free();
            let mut child = spawn(port, dir.path(), &options, &logs);
            // Another process may have taken the port in between: try the next.
            if wait_for_pong(port, &mut child).await.is_ok() {
                return Self { port, options, child, logs, dir };
            }
        }
        panic!("redis does not start\n{logs}")
    }

    /// Where the services find it.
    #[must_use]
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// Its loopback port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The directory with its data.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A new connection.
    pub async fn client(&self) -> MultiplexedConnection {
        connect(self.port).await.expect("connect to the redis that answered PING")
    }

    /// SIGKILL; returns when the process is gone. The data directory stays.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("kill redis");
    }

    /// Starts it again on the same port and directory, killing it first if it
    /// still runs, and waits for its PONG.
    pub async fn restart(&mut self) {
        self.kill().await;
        self.child = spawn(self.port, self.dir.path(), &self.options, &self.logs);
        let started = wait_for_pong(self.port, &mut self.child).await;
        assert!(started.is_ok(), "redis does not start again: {started:?}\n{}", self.logs);
    }

    /// SIGSTOP: connections stay open and nothing is answered.
    pub fn pause(&self) {
        signal::send(&self.child, Signal::STOP);
    }

    /// SIGCONT.
    pub fn resume(&self) {
        signal::send(&self.child, Signal::CONT);
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.logs.print_on_failure();
    }
}

fn spawn(port: u16, dir: &Path, options: &RedisOptions, logs: &Logs) -> Child {
    let binary = binary();
    let mut child = Command::new(&binary)
        .args(arguments(port, dir, options))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|e| {
            panic!("cannot run {binary:?}: {e}; set {BINARY_VARIABLE} to a Redis or Valkey server")
        });
    logs.follow(child.stdout.take().expect("stdout is piped"));
    child
}

fn arguments(port: u16, dir: &Path, options: &RedisOptions) -> Vec<OsString> {
    let port = port.to_string();
    let (append_only, fsync) = match options.append_only {
        AppendOnly::No => ("no", "everysec"),
        AppendOnly::EverySec => ("yes", "everysec"),
        AppendOnly::Always => ("yes", "always"),
    };
    let mut arguments: Vec<OsString> =
        ["--bind", "127.0.0.1", "--port", &port, "--save", ""].map(Into::into).into();
    arguments.extend(["--appendonly", append_only, "--appendfsync", fsync].map(Into::into));
    arguments.extend(["--maxmemory-policy", "noeviction", "--dir"].map(Into::into));
    arguments.push(dir.into());
    arguments.extend(options.extra.iter().map(Into::into));
    arguments
}

fn binary() -> PathBuf {
    env::var_os(BINARY_VARIABLE)
        .map(PathBuf::from)
        .or_else(|| BINARIES.iter().find_map(|name| on_path(name)))
        .unwrap_or_else(|| {
            panic!("no redis-server or valkey-server on the path: set {BINARY_VARIABLE} to one")
        })
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// An error is the status of a server that ended instead.
async fn wait_for_pong(port: u16, child: &mut Child) -> Result<(), ExitStatus> {
    let pid = child.id();
    tokio::select! {
        status = child.wait() => Err(status.expect("wait for redis")),
        () = until("redis answers PING", START_DEADLINE, || answers(port, pid)) => Ok(()),
    }
}

/// Some when the process `pid` itself answers, and not a stranger on its port.
async fn answers(port: u16, pid: Option<u32>) -> Option<()> {
    let mut connection = connect(port).await.ok()?;
    let _pong: String = redis::cmd("PING").query_async(&mut connection).await.ok()?;
    let info: String = redis::cmd("INFO").arg("server").query_async(&mut connection).await.ok()?;
    info.lines()
        .any(|line| line.strip_prefix("process_id:").and_then(|id| id.parse().ok()) == pid)
        .then_some(())
}

async fn connect(port: u16) -> redis::RedisResult<MultiplexedConnection> {
    redis::Client::open(url(port))?.get_multiplexed_async_connection().await
}

fn url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}/")
}

#[cfg(test)]
mod tests {
    use redis::AsyncCommands;
    use tokio::time::timeout;

    use super::*;

    async fn server(append_only: AppendOnly) -> RedisServer {
        RedisServer::start(RedisOptions { append_only, ..RedisOptions::default() }).await
    }

    async fn set(server: &RedisServer) {
        server.client().await.set::<_, _, ()>("key", "value").await.unwrap();
    }

    async fn read(server: &RedisServer) -> Option<String> {
        server.client().await.get("key").await.unwrap()
    }

    #[tokio::test]
    async fn appended_data_survives_a_kill() {
        let mut server = server(AppendOnly::Always).await;
        set(&server).await;
        let port = server.port();
        server.kill().await;
        assert!(connect(port).await.is_err());
        server.restart().await;
        assert_eq!((server.port(), read(&server).await), (port, Some("value".into())));
    }

    #[tokio::test]
    async fn without_an_append_only_file_nothing_survives() {
        let mut server = server(AppendOnly::No).await;
        set(&server).await;
        server.restart().await;
        assert_eq!(read(&server).await, None);
    }

    #[tokio::test]
    async fn a_paused_server_is_silent_until_resumed() {
        let server = server(AppendOnly::No).await;
        let mut connection = server.client().await;
        server.pause();
        let silent = timeout(Duration::from_millis(100), connection.set::<_, _, ()>("key", "value")).await;
        assert!(silent.is_err());
        server.resume();
        assert_eq!(until("the write is seen", START_DEADLINE, || read(&server)).await, "value");
    }

    #[tokio::test]
    async fn a_dropped_server_is_gone() {
        let server = server(AppendOnly::No).await;
        let port = server.port();
        drop(server);
        until("the port is closed", START_DEADLINE, || async move { connect(port).await.err() }).await;
    }

    #[tokio::test]
    async fn extra_arguments_reach_the_server() {
        let extra = vec!["--maxmemory".to_owned(), "7mb".to_owned()];
        let server = RedisServer::start(RedisOptions { extra, ..RedisOptions::default() }).await;
        let (_, bytes): (String, u64) = redis::cmd("CONFIG")
            .arg(&["GET", "maxmemory"])
            .query_async(&mut server.client().await)
            .await
            .unwrap();
        assert_eq!(bytes, 7 << 20);
    }
}
