//! The environment, seen as settings.

use std::ffi::{OsStr, OsString};
use std::fmt;

use clap::builder::Resettable;
use clap::{Arg, Command};

const PREFIX: &str = "A2A_";

/// A name further than this share of its length from every known one is not a
/// misspelling of any.
const MISSPELT_BELOW: f64 = 0.4;

/// A variable that looks like a setting and is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    name: String,
    nearest: Option<String>,
}

/// Makes empty variables count as unset, and keeps values out of the help text: some
/// are secrets.
pub(super) fn prepare(command: Command, variables: &[(OsString, OsString)]) -> Command {
    let is_empty = |name: &OsStr| variables.iter().any(|(n, value)| n == name && value.is_empty());
    command.mut_args(|arg| match arg.get_env() {
        Some(name) if is_empty(name) => arg.env(Resettable::<clap::builder::OsStr>::Reset),
        Some(_) => arg.hide_env_values(true),
        None => arg,
    })
}

/// The variables that start like a setting, and are neither one of `command`'s, nor
/// a sibling's, nor what Kubernetes injects for a service whose name starts so.
pub(super) fn unknown(
    command: &Command,
    variables: &[(OsString, OsString)],
    siblings: &[&str],
) -> Vec<Unknown> {
    let own = command.get_arguments().filter_map(Arg::get_env).filter_map(OsStr::to_str);
    let known: Vec<&str> = own.chain(siblings.iter().copied()).collect();
    let mut unknown: Vec<_> = variables
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .filter_map(|(name, value)| Some((name.to_str()?, value.to_string_lossy())))
        .filter(|(name, value)| name.starts_with(PREFIX) && !is_injected(name, value))
        .filter(|(name, _)| !known.contains(name))
        .map(|(name, _)| Unknown { name: name.to_owned(), nearest: nearest(name, &known) })
        .collect();
    unknown.sort_by(|a, b| a.name.cmp(&b.name));
    unknown
}

/// Kubernetes gives each pod, for every service FOO of its namespace:
/// FOO_SERVICE_HOST, FOO_SERVICE_PORT, FOO_SERVICE_PORT_NAME, FOO_PORT (an address
/// such as `tcp://10.0.0.1:80`), and FOO_PORT_80_TCP with _PROTO, _PORT or _ADDR.
fn is_injected(name: &str, value: &str) -> bool {
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || (name.ends_with("_PORT") && value.contains("://"))
        || names_a_port(name)
}

/// `..._PORT_80_TCP...`
fn names_a_port(name: &str) -> bool {
    name.match_indices("_PORT_").any(|(at, separator)| {
        let Some((port, protocol)) = name[at + separator.len()..].split_once('_') else { return false };
        port.parse::<u16>().is_ok() && ["TCP", "UDP", "SCTP"].iter().any(|p| protocol.starts_with(p))
    })
}

fn nearest(name: &str, known: &[&str]) -> Option<String> {
    let distance = |candidate: &&str| strsim::damerau_levenshtein(name, candidate);
    let best = *known.iter().min_by_key(|candidate| distance(candidate))?;
    let length = (name.len() - PREFIX.len()).max(1);
    ((distance(&best) as f64) < MISSPELT_BELOW * length as f64).then(|| best.to_owned())
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown setting {}: ", self.name)?;
        match &self.nearest {
            Some(nearest) => write!(f, "did you mean {nearest}?"),
            None => write!(f, "unset it, or choose one that --help lists"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PATH stands in for a setting here: a variable that every environment has.
    fn command() -> Command {
        let url = Arg::new("redis-url").long("redis-url").env("A2A_REDIS_URL");
        let shards = Arg::new("shards").long("shards").env("A2A_SHARDS");
        Command::new("test").arg(url).arg(shards).arg(Arg::new("path").long("path").env("PATH"))
    }

    fn unknown_in(variables: &[(&str, &str)]) -> Vec<String> {
        let variables: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        unknown(&command(), &variables, &["A2A_HTTP_ADDR"]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn known_foreign_and_empty_variables_pass() {
        let variables = [("A2A_REDIS_URL", "x"), ("A2A_HTTP_ADDR", "x"), ("HOME", "x"), ("A2A_OLD", "")];
        assert_eq!(unknown_in(&variables), Vec::<String>::new());
    }

    #[test]
    fn a_misspelling_names_the_nearest() {
        assert_eq!(
            unknown_in(&[("A2A_SHARD", "4"), ("A2A_REDIS_URI", "x"), ("A2A_HTTP_ADRR", "x")]),
            [
                "unknown setting A2A_HTTP_ADRR: did you mean A2A_HTTP_ADDR?",
                "unknown setting A2A_REDIS_URI: did you mean A2A_REDIS_URL?",
                "unknown setting A2A_SHARD: did you mean A2A_SHARDS?",
            ]
        );
    }

    #[test]
    fn a_name_like_no_other_has_no_nearest() {
        assert_eq!(
            unknown_in(&[("A2A_QUUX", "1"), ("A2A_", "1")]),
            [
                "unknown setting A2A_: unset it, or choose one that --help lists",
                "unknown setting A2A_QUUX: unset it, or choose one that --help lists",
            ]
        );
    }

    #[test]
    fn what_kubernetes_injects_passes() {
        let injected = [
            ("A2A_TASKS_SERVICE_HOST", "10.0.0.1"),
            ("A2A_TASKS_SERVICE_PORT", "50051"),
            ("A2A_TASKS_SERVICE_PORT_GRPC", "50051"),
            ("A2A_TASKS_PORT", "tcp://10.0.0.1:50051"),
            ("A2A_TASKS_PORT_50051_TCP", "tcp://10.0.0.1:50051"),
            ("A2A_TASKS_PORT_50051_TCP_PROTO", "tcp"),
            ("A2A_DNS_PORT_53_UDP_ADDR", "10.0.0.1"),
        ];
        assert_eq!(unknown_in(&injected), Vec::<String>::new());
    }

    #[test]
    fn a_port_that_a_person_set_does_not_pass() {
        assert_eq!(unknown_in(&[("A2A_GRPC_PORT", "50051"), ("A2A_PORT_RANGE", "1")]).len(), 2);
    }

    #[test]
    fn an_empty_variable_is_not_read() {
        assert!(std::env::var_os("PATH").is_some());
        let reads_path = |variables: &[(OsString, OsString)]| {
            let matches = prepare(command(), variables).try_get_matches_from(["test"]).unwrap();
            matches.get_one::<String>("path").is_some()
        };
        assert!(reads_path(&[("PATH".into(), "/bin".into())]));
        assert!(!reads_path(&[("PATH".into(), "".into())]));
    }

    #[test]
    fn the_help_shows_names_and_no_values() {
        let help = prepare(command(), &[]).render_long_help().to_string();
        assert!(help.contains("[env: PATH]"), "{help}");
    }
}
