//! What a child process wrote, kept for the failure report.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    sync::watch,
    time::timeout,
};
use tokio_util::task::TaskTracker;

const LINES_MAX: usize = 2_000;

/// The newest lines of a child's output, shared with the task that reads them.
#[derive(Debug, Clone)]
pub(crate) struct Logs {
    name: Arc<str>,
    lines: Arc<Mutex<VecDeque<String>>>,
    written: watch::Sender<u64>,
    readers: TaskTracker,
}

impl Logs {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            lines: Arc::default(),
            written: watch::Sender::new(0),
            readers: TaskTracker::new(),
        }
    }

    /// Keeps what `output` says until it ends.
    pub(crate) fn follow(&self, output: impl AsyncRead + Send + Unpin + 'static) {
        let logs = self.clone();
        self.readers.spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                logs.push(line);
            }
        });
    }

    pub(crate) fn push(&self, line: String) {
        let mut lines = self.lines.lock();
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
        drop(lines);
        self.written.send_modify(|count| *count += 1);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }

    /// Waits until all that was followed has ended.
    pub(crate) async fn ended(&self) {
        self.readers.close();
        self.readers.wait().await;
    }

    /// Waits until a line that holds `needle` has been written.
    pub(crate) async fn wait_for(&self, needle: &str, deadline: Duration) -> String {
        let mut written = self.written.subscribe();
        let found = async {
            loop {
                written.borrow_and_update();
                if let Some(line) = self.lines.lock().iter().find(|line| line.contains(needle)) {
                    return line.clone();
                }
                written.changed().await.expect("this very value holds the sender");
            }
        };
        let Ok(line) = timeout(deadline, found).await else {
            panic!("{}: no line with {needle:?} within {deadline:?}\n{self}", self.name)
        };
        line
    }

    /// Shows all lines when the test that owns them is failing.
    pub(crate) fn print_on_failure(&self) {
        if std::thread::panicking() {
            eprintln!("{self}");
        }
    }
}

impl std::fmt::Display for Logs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "--- log of {}", self.name)?;
        self.lines.lock().iter().try_for_each(|line| writeln!(f, "{line}"))?;
        write!(f, "--- end of log of {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_written_later_is_awaited() {
        let logs = Logs::new("child");
        let (mut writer, reader) = tokio::io::duplex(64);
        logs.follow(reader);
        let (line, written) = tokio::join!(
            logs.wait_for("second", Duration::from_secs(5)),
            tokio::io::AsyncWriteExt::write_all(&mut writer, b"first\nthe second\n"),
        );
        written.unwrap();
        assert_eq!(line, "the second");
        assert_eq!(logs.lines(), ["first", "the second"]);
    }

    #[test]
    fn only_the_newest_lines_are_kept() {
        let logs = Logs::new("child");
        (0..LINES_MAX + 3).for_each(|n| logs.push(n.to_string()));
        assert_eq!(logs.lines().first().map(String::as_str), Some("3"));
        assert_eq!(logs.lines().len(), LINES_MAX);
    }
}
