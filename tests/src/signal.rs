//! Signals to child processes.

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;

/// Sends `signal`; a child that has already ended is left alone.
pub(crate) fn send(child: &Child, signal: Signal) {
    let Some(pid) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) else { return };
    kill_process(pid, signal).expect("signal a child that was not reaped");
}
