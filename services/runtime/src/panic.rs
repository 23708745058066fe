//! Panics become log lines, with the place they came from.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;

use tracing::error;

/// Logs every panic of the process through `tracing`. The panicking task or thread
/// unwinds as before: this never aborts. Panics from before the log exists go where
/// they went.
pub fn install_hook() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if tracing::dispatcher::has_been_set() { log(panic) } else { previous(panic) }
    }));
}

fn log(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let current = std::thread::current();
    let thread = current.name().unwrap_or_default();
    error!(location, thread, backtrace = backtrace(), "panicked: {}", message(panic.payload()));
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&'static str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

/// Present when `RUST_BACKTRACE` asks for it.
fn backtrace() -> Option<String> {
    let backtrace = Backtrace::capture();
    (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_payloads_are_the_message() {
        assert_eq!(message(&"literal"), "literal");
        assert_eq!(message(&String::from("formatted")), "formatted");
        assert_eq!(message(&7_u8), "(no message)");
    }
}
