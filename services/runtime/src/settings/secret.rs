//! Secrets among the settings.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

const SHOWN_INSTEAD: &str = "(secret)";

/// The secret settings, as an error names them: `--redis-url <URL>`.
pub(super) fn names(mut command: Command) -> Vec<String> {
    // Only a built argument knows how it is written.
    command.build();
    command.get_arguments().filter(|arg| arg.is_hide_env_values_set()).map(Arg::to_string).collect()
}

/// Takes the value out of an error that is about a secret.
pub(super) fn hide(mut error: Error, secrets: &[String]) -> Error {
    if let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg)
        && secrets.contains(arg)
    {
        error.insert(ContextKind::InvalidValue, ContextValue::String(SHOWN_INSTEAD.to_owned()));
    }
    error
}
