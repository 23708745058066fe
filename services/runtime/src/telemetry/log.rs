//! The log: its format, and its filter that can change at run time.

use std::fmt;
use std::io::IsTerminal;
use std::str::FromStr;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::{EnvFilter, Registry};

use super::LogFormat;

/// What is logged, checked: a level or directives such as `info,a2a_store=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

#[derive(Debug, thiserror::Error)]
pub enum BadLogFilter {
    #[error(
        "{0:?} is not a log filter: write a level (error, warn, info, debug, trace) or target=level, ..."
    )]
    Syntax(String, #[source] ParseError),
    #[error("the log filter is empty: write a level (error, warn, info, debug, trace, off)")]
    Empty,
}

/// Why the log filter was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    Filter(#[from] BadLogFilter),
    #[error(transparent)]
    Gone(#[from] LogGone),
}

/// The log is gone: the process is ending.
#[derive(Debug, thiserror::Error)]
#[error("the log filter cannot be changed")]
pub struct LogGone(#[from] reload::Error);

/// Changes what the running process logs; clones share it.
#[derive(Clone, Debug)]
pub struct LogHandle {
    reload: Handle<EnvFilter, Registry>,
    current: Arc<Mutex<LogFilter>>,
}

pub(super) type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

pub(super) fn layer(filter: &LogFilter, format: LogFormat) -> Result<(LogLayer, LogHandle), BadLogFilter> {
    let (reloadable, reload) = reload::Layer::new(filter.parsed()?);
    let handle = LogHandle { reload, current: Arc::new(Mutex::new(filter.clone())) };
    Ok((formatted(format).with_filter(reloadable).boxed(), handle))
}

fn formatted(format: LogFormat) -> LogLayer {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Pretty => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    }
}

impl LogHandle {
    pub fn current(&self) -> LogFilter {
        self.current.lock().clone()
    }

    pub fn set(&self, filter: &LogFilter) -> Result<(), ChangeError> {
        let parsed = filter.parsed()?;
        let mut current = self.current.lock();
        self.reload.reload(parsed).map_err(LogGone)?;
        *current = filter.clone();
        Ok(())
    }
}

impl LogFilter {
    fn parsed(&self) -> Result<EnvFilter, BadLogFilter> {
        EnvFilter::try_new(&self.0).map_err(|source| BadLogFilter::Syntax(self.0.clone(), source))
    }
}

impl FromStr for LogFilter {
    type Err = BadLogFilter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let filter = Self(text.trim().to_owned());
        if filter.0.is_empty() {
            return Err(BadLogFilter::Empty);
        }
        filter.parsed()?;
        Ok(filter)
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_or_directives() {
        for good in ["info", "off", " debug\n", "info,a2a_store=trace", "warn,a2a[request]=debug"] {
            let filter: LogFilter = good.parse().unwrap();
            assert_eq!(filter.to_string(), good.trim());
        }
    }

    #[test]
    fn a_bad_filter_says_what_to_write() {
        for bad in ["a2a_store=loud", "info,,=", "=", "a[b"] {
            let error = bad.parse::<LogFilter>().unwrap_err();
            assert!(error.to_string().contains("write a level"), "{bad}: {error}");
        }
        assert!(matches!(" ".parse::<LogFilter>(), Err(BadLogFilter::Empty)));
    }
}
