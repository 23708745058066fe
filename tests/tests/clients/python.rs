//! The scripts as processes: run to their end, or kept running.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::mpsc,
    time::timeout,
};

use crate::stage::SOON;

const VARIABLE: &str = "A2A_TEST_PYTHON";

/// The end of a script that was run.
///
/// # Panics
/// With its output when it fails.
pub(crate) async fn run(script: &str, arguments: &[&str]) -> String {
    let mut command = command(script, arguments);
    let output = timeout(SOON, command.output()).await.unwrap_or_else(|_| panic!("{script} does not end"));
    succeeded(script, output.unwrap_or_else(|e| cannot_run(&e)))
}

/// A script that runs until it is dropped; what it wrote is shown if the test
/// fails.
pub(crate) struct Script {
    name: String,
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
    read: Vec<String>,
    _stubs: Option<TempDir>,
}

impl Script {
    pub(crate) fn start(script: &str, arguments: &[&str]) -> Self {
        Self::spawn(script, command(script, arguments), None)
    }

    /// With stubs made from our `.proto` files, as a user would make them.
    pub(crate) async fn start_with_stubs(script: &str, arguments: &[&str]) -> Self {
        let stubs = stubs().await;
        let mut command = command(script, arguments);
        command.env("PYTHONPATH", stubs.path());
        Self::spawn(script, command, Some(stubs))
    }

    fn spawn(script: &str, mut command: Command, stubs: Option<TempDir>) -> Self {
        let mut child = command.spawn().unwrap_or_else(|e| cannot_run(&e));
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(forward(child.stdout.take().expect("stdout is piped"), sender.clone()));
        tokio::spawn(forward(child.stderr.take().expect("stderr is piped"), sender));
        Self { name: script.to_owned(), child, lines, read: Vec::new(), _stubs: stubs }
    }

    /// Its next line.
    pub(crate) async fn line(&mut self) -> String {
        let line = timeout(SOON, self.lines.recv()).await;
        let line = line.unwrap_or_else(|_| panic!("{} says nothing more", self.name));
        let line = line.unwrap_or_else(|| panic!("{} has ended", self.name));
        self.read.push(line.clone());
        line
    }

    /// Its next line that holds `needle`.
    pub(crate) async fn line_with(&mut self, needle: &str) -> String {
        loop {
            let line = self.line().await;
            if line.contains(needle) {
                return line;
            }
        }
    }

    /// All that it said, once it has ended by itself without an error.
    pub(crate) async fn finish(mut self) -> Vec<String> {
        while let Some(line) = timeout(SOON, self.lines.recv()).await.expect("it ends in time") {
            self.read.push(line);
        }
        let status = self.child.wait().await.expect("wait for python");
        assert!(status.success(), "{} ended with {status}", self.name);
        std::mem::take(&mut self.read)
    }

    /// SIGKILL; answers all that it said.
    pub(crate) async fn kill(mut self) -> Vec<String> {
        self.child.kill().await.expect("kill a child");
        while let Some(line) = self.lines.recv().await {
            self.read.push(line);
        }
        std::mem::take(&mut self.read)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        if std::thread::panicking() {
            while let Ok(line) = self.lines.try_recv() {
                self.read.push(line);
            }
            eprintln!("--- {}\n{}\n--- end of {}", self.name, self.read.join("\n"), self.name);
        }
    }
}

async fn forward(output: impl AsyncRead + Unpin, lines: mpsc::UnboundedSender<String>) {
    let mut output = BufReader::new(output).lines();
    while let Ok(Some(line)) = output.next_line().await {
        if lines.send(line).is_err() {
            return;
        }
    }
}

async fn stubs() -> TempDir {
    let dir = tempfile::tempdir().expect("a directory for stubs");
    let proto = root().join("proto");
    let mut command = python();
    command
        .args(["-m", "grpc_tools.protoc"])
        .arg("-I")
        .arg(&proto)
        .arg("-I")
        .arg(proto.join("a2a"))
        .arg(format!("--python_out={}", dir.path().display()))
        .arg(format!("--grpc_python_out={}", dir.path().display()))
        .args(["lf/a2a/v1/a2a.proto", "agent/v1/agent.proto"]);
    succeeded("grpc_tools.protoc", command.output().await.unwrap_or_else(|e| cannot_run(&e)));
    dir
}

fn command(script: &str, arguments: &[&str]) -> Command {
    let mut command = python();
    command.arg(root().join("tests/clients").join(script)).args(arguments);
    command
}

fn python() -> Command {
    let mut command = Command::new(interpreter());
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A Python with the packages of `tests/clients/requirements.txt`.
fn interpreter() -> &'static Path {
    static INTERPRETER: OnceLock<PathBuf> = OnceLock::new();
    INTERPRETER.get_or_init(|| given().unwrap_or_else(made_by_the_project))
}

fn given() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn made_by_the_project() -> PathBuf {
    let output = std::process::Command::new(root().join("deploy/dev/python")).output();
    let output = output.unwrap_or_else(|e| panic!("set {VARIABLE}: deploy/dev/python cannot be run: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "set {VARIABLE}, or see to what deploy/dev/python misses: {said}");
    String::from_utf8_lossy(&output.stdout).trim().into()
}

fn cannot_run(error: &io::Error) -> ! {
    panic!("cannot run {}: {error}; set {VARIABLE} to a Python, or to nothing", interpreter().display())
}

fn succeeded(script: &str, Output { status, stdout, stderr }: Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{script} ended with {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
