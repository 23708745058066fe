//! What processes say while something is wrong.

use a2a_tests::process::Service;

/// Lines so far that tell of trouble, and not of an attempt.
pub(crate) fn complaints<A>(service: &Service<A>) -> usize {
    let complains =
        |line: &&String| line.contains(r#""level":"WARN""#) || line.contains(r#""level":"ERROR""#);
    service.log().iter().filter(complains).count()
}
