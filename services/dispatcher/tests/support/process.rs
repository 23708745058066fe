//! The real binary.

use std::net::SocketAddr;
use std::process::{ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};

use a2a_proto::push::push_admin_service_client::PushAdminServiceClient;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use super::soon;

pub struct Process {
    child: Child,
    pub grpc: SocketAddr,
    pub admin: SocketAddr,
    said: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
    lines: Lines<BufReader<ChildStdout>>,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a2a-dispatcher"));
    command.env_clear().args(["--grpc-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"]).args(args);
    command.kill_on_drop(true);
    command
}

/// Runs one that is to end by itself.
pub async fn output(args: &[&str]) -> Output {
    soon(command(args).output()).await.unwrap()
}

impl Process {
    /// Starts one that may request loopback, and waits for its ready line.
    pub async fn start(redis_url: &str) -> Self {
        Self::start_with(redis_url, &[]).await
    }

    /// With more flags. What it writes is kept.
    pub async fn start_with(redis_url: &str, more: &[&str]) -> Self {
        let args = ["--redis-url", redis_url, "--key-prefix", "t:", "--shards", "1", "--plaintext-secrets"];
        let open = ["--allow-webhook-http", "--allow-webhook-cidr", "127.0.0.0/8"];
        let mut command = command(&[args.as_slice(), &open, more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::<Mutex<String>>::default();
        let (heard, mut errors) = (said.clone(), BufReader::new(child.stderr.take().unwrap()).lines());
        let reader = tokio::spawn(async move {
            while let Ok(Some(line)) = errors.next_line().await {
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = soon(lines.next_line()).await.unwrap().unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
        let addr = |name: &str| ready["ready"][name].as_str().unwrap().parse().unwrap();
        Self { child, grpc: addr("grpc"), admin: addr("admin"), said, reader, lines }
    }

    pub async fn operator(&self) -> PushAdminServiceClient<Channel> {
        PushAdminServiceClient::connect(format!("http://{}", self.grpc)).await.unwrap()
    }

    /// Status and text of a page of the admin endpoint.
    pub async fn page(&self, path: &str) -> (u16, String) {
        let response = reqwest::get(format!("http://{}{path}", self.admin)).await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Ends it; answers all that it wrote.
    pub async fn terminate_and_read(&mut self) -> String {
        self.signal_and_wait().await;
        soon(&mut self.reader).await.unwrap();
        let mut all = self.said.lock().unwrap().clone();
        while let Ok(Some(line)) = self.lines.next_line().await {
            all += &(line + "\n");
        }
        all
    }

    pub async fn terminate(mut self) -> ExitStatus {
        self.signal_and_wait().await
    }

    async fn signal_and_wait(&mut self) -> ExitStatus {
        let pid = Pid::from_raw(self.child.id().unwrap().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        soon(self.child.wait()).await.unwrap()
    }
}
