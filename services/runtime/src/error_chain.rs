//! Errors in one line.

use std::error::Error;

/// The error and all its sources, outermost first: `cannot listen on [::]:80: permission denied`.
pub fn describe(error: &dyn Error) -> String {
    let sources = std::iter::successors(error.source(), |&error| error.source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Layer(&'static str, #[source] Option<Box<dyn Error>>);

    #[test]
    fn every_source_is_told_once() {
        let leaf = io::Error::other("permission denied");
        let middle = Layer("cannot listen", Some(Box::new(leaf)));
        let outer = Layer("cannot start", Some(Box::new(middle)));
        assert_eq!(describe(&outer), "cannot start: cannot listen: permission denied");
        assert_eq!(describe(&Layer("alone", None)), "alone");
    }
}
