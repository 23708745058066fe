//! Settings: flags, each with an environment variable as its twin.
//!
//! A wrong setting stops the start, with a line that says what to write: a value that
//! does not parse, and also an `A2A_` variable that names no setting, since a
//! misspelt one would otherwise be the default in silence.

mod environment;
mod number;
mod secret;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, Parser};

pub use number::{OutOfRange, at_least, between};

use crate::tool::Tool;

/// What the command line asks for.
#[derive(Debug)]
pub enum Asked<T> {
    /// To serve, with these settings.
    Serve(T),
    /// One of the subcommands.
    Tool(Tool),
}

/// Reads the settings of this process, or explains the problem and exits with status 2.
/// `siblings` are variables that belong to another binary and may be set for both.
/// A variable with an empty value counts as unset. The value of a setting that is
/// declared with `hide_env_values = true` is a secret: no message shows it.
pub fn parse<T: Parser>(siblings: &[&str]) -> Asked<T> {
    let variables: Vec<_> = std::env::vars_os().collect();
    read(std::env::args_os(), &variables, siblings).unwrap_or_else(|error| error.exit())
}

fn read<T: Parser>(
    args: impl IntoIterator<Item = OsString>,
    variables: &[(OsString, OsString)],
    siblings: &[&str],
) -> Result<Asked<T>, clap::Error> {
    let secrets = secret::names(T::command());
    let mut command = Tool::augment(environment::prepare(T::command(), variables));
    let matches = command.try_get_matches_from_mut(args).map_err(|error| secret::hide(error, &secrets));
    if let Err(help_or_version) = &matches
        && !help_or_version.use_stderr()
    {
        return matches.and_then(|matches| T::from_arg_matches(&matches).map(Asked::Serve));
    }
    if let Some(tool) = matches.as_ref().ok().and_then(Tool::asked_for) {
        return tool.map(Asked::Tool);
    }
    refuse_unknown(&mut command, variables, siblings)?;
    let settings = T::from_arg_matches(&matches?).map_err(|error| error.format(&mut command))?;
    Ok(Asked::Serve(settings))
}

fn refuse_unknown(
    command: &mut Command,
    variables: &[(OsString, OsString)],
    siblings: &[&str],
) -> Result<(), clap::Error> {
    let unknown = environment::unknown(command, variables, siblings);
    if unknown.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = unknown.iter().map(ToString::to_string).collect();
    Err(command.error(ErrorKind::UnknownArgument, lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    #[command(name = "a2a-test", version = "1.2.3")]
    struct Settings {
        /// Milliseconds to finish work after the signal
        #[arg(long, env = "A2A_DRAIN_MS", default_value_t = 25_000, value_parser = at_least(1_u64))]
        drain_ms: u64,

        #[arg(long, hide_env_values = true, default_value_t = 0)]
        pin: u16,
    }

    fn read_from(args: &[&str], variables: &[(&str, &str)]) -> Result<Settings, clap::Error> {
        asked(args, variables).map(|asked| match asked {
            Asked::Serve(settings) => settings,
            Asked::Tool(tool) => panic!("{tool:?}"),
        })
    }

    fn asked(args: &[&str], variables: &[(&str, &str)]) -> Result<Asked<Settings>, clap::Error> {
        let args = std::iter::once("a2a-test").chain(args.iter().copied()).map(OsString::from);
        let variables: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        read(args, &variables, &["A2A_WEBHOOK_TIMEOUT_MS"])
    }

    #[test]
    fn flags_and_defaults_are_read() {
        assert_eq!(read_from(&[], &[]).unwrap().drain_ms, 25_000);
        assert_eq!(read_from(&["--drain-ms", "7"], &[]).unwrap().drain_ms, 7);
    }

    #[test]
    fn a_bad_value_says_what_to_write() {
        let error = read_from(&["--drain-ms", "0"], &[]).unwrap_err().to_string();
        assert!(
            error.contains("--drain-ms") && error.contains("write a number that is 1 or more"),
            "{error}"
        );
    }

    #[test]
    fn a_bad_secret_is_not_shown() {
        let error = read_from(&["--pin", "hunter2"], &[]).unwrap_err().to_string();
        assert!(error.contains("--pin") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn an_unknown_variable_is_refused_with_the_nearest_known_one() {
        let error = read_from(&[], &[("A2A_DRAIN_SM", "5"), ("A2A_QUUX", "1")]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(text.contains("unknown setting A2A_DRAIN_SM: did you mean A2A_DRAIN_MS?"), "{text}");
        assert!(text.contains("unknown setting A2A_QUUX: "), "{text}");
    }

    #[test]
    fn a_siblings_variable_is_passed_over() {
        assert!(read_from(&[], &[("A2A_WEBHOOK_TIMEOUT_MS", "5"), ("PATH", "/bin")]).is_ok());
    }

    #[test]
    fn a_subcommand_asks_for_a_tool_whatever_the_environment() {
        let asked = asked(&["sleep", "5"], &[("A2A_QUUX", "1")]).unwrap();
        assert!(matches!(asked, Asked::Tool(Tool::Sleep { seconds: 5 })), "{asked:?}");
    }

    #[test]
    fn help_and_version_come_before_complaints() {
        for (flag, kind) in [("--help", ErrorKind::DisplayHelp), ("--version", ErrorKind::DisplayVersion)] {
            assert_eq!(read_from(&[flag], &[("A2A_QUUX", "1")]).unwrap_err().kind(), kind);
        }
    }
}
