//! Everything started together: Redis, both services, a sample agent and a
//! webhook receiver; one streamed task is shown, then all stays up.

mod commands;
mod failure;
mod key_ring;
mod part;
mod readiness;
mod sample;
mod settings;
mod stack;
mod verify;

use tokio::{select, sync::mpsc};

pub use self::{failure::Failure, settings::Settings, verify::Mismatch};
use self::{sample::Sample, stack::Stack};
use crate::receiver::Delivery;

/// Runs until a signal (or, once, until the sample is over), then stops what it
/// started, in order.
///
/// # Errors
/// With what went wrong, where its log is and what to do.
pub async fn run(settings: &Settings) -> Result<(), Failure> {
    let mut signals = Signals::install()?;
    let mut stack = Stack::default();
    let outcome = select! {
        outcome = show(settings, &mut stack) => outcome,
        () = signals.next() => Ok(()),
    };
    select! {
        () = stack.stop(settings.drain()) => {}
        // A second signal: what is left is killed when the stack is dropped.
        () = signals.next() => {}
    }
    outcome
}

async fn show(settings: &Settings, stack: &mut Stack) -> Result<(), Failure> {
    settings.check_ports()?;
    let sample = Sample::new(settings);
    let mut deliveries = stack.start(settings, sample.secrets()).await?;
    if settings.conformance.is_none() {
        select! {
            shown = sample.show(&mut deliveries) => shown?,
            failure = stack.first_exit() => return Err(failure),
        }
    }
    if settings.once {
        return Ok(());
    }
    println!("{}", settings.invitation());
    select! {
        () = print(&mut deliveries) => Ok(()),
        failure = stack.first_exit() => Err(failure),
    }
}

/// Shows what reaches the webhook, for as long as anything can.
async fn print(lines: &mut mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        match Delivery::from_line(&line) {
            Ok(delivery) => println!("  webhook  {delivery}"),
            Err(_) => println!("  webhook  {line}"),
        }
    }
    std::future::pending::<()>().await;
}

/// The ways in which a terminal, a user or a supervisor ends a run.
struct Signals([tokio::signal::unix::Signal; 3]);

impl Signals {
    fn install() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = || -> std::io::Result<Self> {
            Ok(Self([
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ]))
        };
        listen().map_err(Failure::Signals)
    }

    async fn next(&mut self) {
        let Self([interrupt, terminate, hangup]) = self;
        select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
