use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStdout, Command},
    sync::mpsc,
    time::timeout,
};

use super::Failure;

const LINES_MAX: usize = 1_024;
/// Settings of this machine's developer, which the services would refuse as unknown.
const NOT_PASSED_ON: [&str; 2] = ["A2A_DEV_", "A2A_TEST_"];

/// A child process. Its log goes to a file; it is killed when dropped, and thus
/// also when this process panics.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    process: Child,
    log: PathBuf,
    lines: mpsc::Receiver<String>,
}

impl Part {
    /// Starts `command`. Standard output is kept as lines, unless it is the log too.
    pub(super) fn spawn(
        name: &'static str,
        mut command: Command,
        log: &Path,
        logs_to_stdout: bool,
    ) -> Result<Self, Failure> {
        let program = PathBuf::from(command.as_std().get_program());
        let mut spawn = || -> io::Result<Child> {
            let file = File::create(log)?;
            let stdout = if logs_to_stdout { file.try_clone()?.into() } else { Stdio::piped() };
            forget_settings(&mut command);
            // In a group of its own, a child gets no Ctrl-C of the terminal: the order of the end is ours.
            command.process_group(0).kill_on_drop(true);
            command.stdin(Stdio::null()).stdout(stdout).stderr(file).spawn()
        };
        let mut process = spawn().map_err(|source| Failure::Spawn { name, program, source })?;
        let lines = lines(process.stdout.take());
        Ok(Self { name, process, log: log.to_owned(), lines })
    }

    /// Waits for its first line, which says that it listens.
    pub(super) async fn ready(&mut self, waited: Duration) -> Result<(), Failure> {
        match timeout(waited, self.lines.recv()).await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(self.exit().await),
            Err(_) => Err(self.not_ready(waited)),
        }
    }

    pub(super) fn not_ready(&self, waited: Duration) -> Failure {
        Failure::NotReady { name: self.name, waited, log: self.log.clone() }
    }

    /// The lines after the first; none come here from now on.
    pub(super) fn take_lines(&mut self) -> mpsc::Receiver<String> {
        std::mem::replace(&mut self.lines, mpsc::channel(1).1)
    }

    /// Resolves when it ends by itself.
    pub(super) async fn exit(&mut self) -> Failure {
        match self.process.wait().await {
            Ok(status) => Failure::died(self.name, status, &self.log),
            Err(source) => Failure::Spawn { name: self.name, program: self.log.clone(), source },
        }
    }

    /// SIGTERM, a wait of at most `drain`, SIGKILL.
    pub(super) async fn stop(mut self, drain: Duration) -> io::Result<ExitStatus> {
        if let Some(pid) = self.process.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            kill_process(pid, Signal::TERM)?;
        }
        match timeout(drain, self.process.wait()).await {
            Ok(ended) => ended,
            Err(_) => {
                self.process.kill().await?;
                self.process.wait().await
            }
        }
    }
}

fn forget_settings(command: &mut Command) {
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in
        names.filter(|name| NOT_PASSED_ON.iter().any(|start| name.to_string_lossy().starts_with(start)))
    {
        command.env_remove(name);
    }
}

/// Reads on when nobody listens any more: a full pipe would block the child.
fn lines(stdout: Option<ChildStdout>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(LINES_MAX);
    if let Some(stdout) = stdout {
        tokio::spawn(async move {
            let mut lines = BufReader::new(stdout).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                _ = sender.send(line).await;
            }
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use tempfile::TempDir;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(10);

    fn shell(script: &str, dir: &TempDir) -> Part {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Part::spawn("child", command, &dir.path().join("child.log"), false).unwrap()
    }

    #[tokio::test]
    async fn lines_follow_readiness() {
        let dir = TempDir::new().unwrap();
        let mut part = shell("echo ready; echo one; exec cat /dev/zero >/dev/null", &dir);
        part.ready(DEADLINE).await.unwrap();
        assert_eq!(part.take_lines().recv().await.as_deref(), Some("one"));
        assert_eq!(part.stop(DEADLINE).await.unwrap().signal(), Some(15));
    }

    #[tokio::test]
    async fn a_part_that_dies_shows_the_end_of_its_log() {
        let dir = TempDir::new().unwrap();
        let mut part = shell("echo cannot listen >&2; exit 3", &dir);
        let failure = part.ready(DEADLINE).await.unwrap_err().to_string();
        assert!(failure.starts_with("child ended with exit status: 3"), "{failure}");
        assert!(failure.ends_with("cannot listen"), "{failure}");
    }

    #[tokio::test]
    async fn a_part_that_does_not_stop_is_killed() {
        let dir = TempDir::new().unwrap();
        let mut part = shell("trap '' TERM; echo ready; while :; do read -r _ < /dev/zero; done", &dir);
        part.ready(DEADLINE).await.unwrap();
        assert_eq!(part.stop(Duration::from_millis(50)).await.unwrap().signal(), Some(9));
    }

    #[tokio::test]
    async fn a_program_that_is_missing_is_named() {
        let dir = TempDir::new().unwrap();
        let command = Command::new("/no/such/program");
        let failure = Part::spawn("child", command, &dir.path().join("log"), true).unwrap_err();
        assert_eq!(failure.to_string(), "starting child: cannot run /no/such/program");
    }
}
