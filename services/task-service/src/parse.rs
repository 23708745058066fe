//! The door of the input: requests become types that need no second look. Every
//! violation of a request is found, each with its path.

mod artifact;
mod content;
mod list;
#[cfg(test)]
mod properties;
mod push;
mod send;

pub use artifact::{agent_message, artifact, in_context};
pub(crate) use list::query;
pub use list::{ListTasks, PageToken, list_tasks, page_size};
pub use push::push_config;
pub use send::{Send, SendContext, send};

use std::borrow::Cow;

use prost_types::Struct;

use crate::error::{Error, Violation};

/// How much of everything a message or an artifact may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most parts.
    pub max_parts: usize,
    /// Largest part, bytes.
    pub max_part_bytes: usize,
    /// Largest message or artifact chunk, bytes.
    pub max_message_bytes: usize,
    /// Largest metadata of anything, bytes.
    pub max_metadata_bytes: usize,
}

/// Longest id of anything, bytes.
pub const MAX_ID_BYTES: usize = 256;

/// Violations found so far.
#[derive(Debug, Default)]
pub(crate) struct Violations(Vec<Violation>);

impl Violations {
    pub(crate) fn add(&mut self, field: impl Into<String>, description: impl Into<Cow<'static, str>>) {
        self.0.push(Violation { field: field.into(), description: description.into() });
    }

    /// Notes a text that is required and empty, or that no id may be.
    pub(crate) fn required_id(&mut self, field: &str, id: &str) {
        if id.is_empty() {
            self.add(field, "is required");
        } else {
            self.optional_id(field, id);
        }
    }

    pub(crate) fn optional_id(&mut self, field: &str, id: &str) {
        if id.len() > MAX_ID_BYTES {
            self.add(field, format!("is longer than {MAX_ID_BYTES} bytes"));
        } else if id.chars().any(char::is_control) {
            self.add(field, "holds control characters");
        }
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self.0)) }
    }
}

/// A history length (A2A section 3.2.4): unset is all, 0 is none.
pub(crate) fn history_length(violations: &mut Violations, field: &str, length: Option<i32>) -> Option<usize> {
    match length.map(usize::try_from) {
        Some(Err(_)) => {
            violations.add(field, "must not be negative");
            None
        }
        Some(Ok(length)) => Some(length),
        None => None,
    }
}

/// A task named by a request; one that cannot exist is simply not found.
pub fn task_id(field: &str, id: &str) -> Result<(), Error> {
    if id.is_empty() {
        return Err(Error::invalid(field.to_owned(), "is required"));
    }
    Ok(())
}

/// The history length of GetTask.
pub fn get_history_length(length: Option<i32>) -> Result<Option<usize>, Error> {
    let mut violations = Violations::default();
    let length = history_length(&mut violations, "historyLength", length);
    violations.finish()?;
    Ok(length)
}

/// The metadata of a request that has nothing else to check.
pub fn request_metadata(metadata: Option<&Struct>, bounds: Bounds) -> Result<(), Error> {
    let mut violations = Violations::default();
    content::check_metadata(&mut violations, "metadata", metadata, bounds);
    violations.finish()
}

/// A revision that a caller expects.
pub fn revision(field: &str, expected: Option<i64>) -> Result<Option<u64>, Error> {
    expected
        .map(u64::try_from)
        .transpose()
        .map_err(|_| Error::invalid(field.to_owned(), "must not be negative"))
}
