//! Real signals, sent to a copy of this test binary.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use a2a_runtime::shutdown::{FORCED_EXIT_CODE, Shutdown};

/// Set in the copy: for how many milliseconds it may drain.
const DRAIN_MS: &str = "SHUTDOWN_TEST_DRAIN_MS";
const READY: &str = "ready";
const DRAINING: &str = "draining";

/// What the copy does, and nothing where the variable is not set: announces that it
/// listens for signals, says when it is asked to stop, and ends when its input does.
#[test]
fn copy() {
    let Ok(drain_ms) = std::env::var(DRAIN_MS) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let shutdown = Shutdown::install().unwrap();
        shutdown.exit_after(Duration::from_millis(drain_ms.parse().unwrap()));
        say(READY);
        shutdown.stopping().await;
        say(DRAINING);
        let released = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        released.await.unwrap().unwrap();
        std::process::exit(0);
    });
}

fn say(line: &str) {
    let mut out = std::io::stderr().lock();
    writeln!(out, "{line}").unwrap();
}

struct Copy {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Copy {
    fn start(drain_ms: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "copy", "--nocapture"])
            .env(DRAIN_MS, drain_ms.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    fn hears(&mut self, line: &str) {
        while self.lines.next().unwrap().unwrap() != line {}
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Copy {
    /// Ends a copy that a failed assertion left behind.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

const LONG_MS: u64 = 600_000;

#[test]
fn each_signal_begins_a_drain_that_may_finish() {
    for name in ["TERM", "INT"] {
        let mut copy = Copy::start(LONG_MS);
        copy.hears(READY);
        copy.signal(name);
        copy.hears(DRAINING);
        drop(copy.child.stdin.take());
        assert_eq!(copy.exit_code(), Some(0));
    }
}

#[test]
fn a_second_signal_ends_the_process() {
    let mut copy = Copy::start(LONG_MS);
    copy.hears(READY);
    copy.signal("TERM");
    copy.hears(DRAINING);
    copy.signal("INT");
    let input = copy.child.stdin.take();
    assert_eq!(copy.exit_code(), Some(FORCED_EXIT_CODE));
    drop(input);
}

#[test]
fn the_end_of_the_drain_time_ends_the_process() {
    let mut copy = Copy::start(1);
    copy.hears(READY);
    copy.signal("TERM");
    let input = copy.child.stdin.take();
    assert_eq!(copy.exit_code(), Some(FORCED_EXIT_CODE));
    drop(input);
}
