//! The subcommands that every binary has. An image that holds nothing but the binary has no shell, no curl and
//! no sleep: probes of containers, hooks and smoke tests call the binary itself.

mod probe;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Command, FromArgMatches, Subcommand};

use crate::clock;
use crate::error_chain::describe;

pub use probe::{BadTarget, Probe, ProbeError, Target};

#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Tool {
    /// Asks a gRPC port for its health, and ends with status 0 if it serves
    Probe(Probe),
    /// Waits and ends: what a preStop hook calls
    Sleep {
        /// For how long, seconds
        seconds: u64,
    },
}

impl Tool {
    pub async fn run(self) -> ExitCode {
        match self {
            Self::Probe(probe) => match probe.run().await {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("{}", describe(&error));
                    ExitCode::FAILURE
                }
            },
            Self::Sleep { seconds } => {
                clock::pause(Duration::from_secs(seconds)).await;
                ExitCode::SUCCESS
            }
        }
    }

    pub(crate) fn augment(command: Command) -> Command {
        Self::augment_subcommands(command).disable_help_subcommand(true)
    }

    /// A binary may have subcommands of its own.
    pub(crate) fn asked_for(matches: &clap::ArgMatches) -> Option<Result<Self, clap::Error>> {
        let named = matches.subcommand_name()?;
        Self::has_subcommand(named).then(|| Self::from_arg_matches(matches))
    }
}
