//! What an error of the HTTP client means.

use std::error::Error;
use std::io::{self, ErrorKind};

use a2a_lifecycle::delivery::Failure;

use super::resolver::ResolveError;

/// The first of these that the error or one of its sources shows; the order matters, since a refused address
/// and a bad certificate are both a failure to connect.
pub(super) fn classify(error: &reqwest::Error) -> Failure {
    if let Some(failure) = chain(error).find_map(resolution) {
        return failure;
    }
    if chain(error).any(is_tls) {
        return Failure::Tls;
    }
    if error.is_timeout() {
        return Failure::Timeout;
    }
    if error.is_connect() {
        return Failure::Connect;
    }
    if chain(error).any(is_reset) { Failure::Reset } else { Failure::Protocol }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| inside(error))
}

/// An `io::Error` does not name what it wraps as its source, only that one's source.
fn inside<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| error.source())
}

fn resolution(error: &(dyn Error + 'static)) -> Option<Failure> {
    error.downcast_ref::<ResolveError>().map(ResolveError::failure)
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error.is::<rustls::Error>()
}

fn is_reset(error: &(dyn Error + 'static)) -> bool {
    const KINDS: [ErrorKind; 4] = [
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::BrokenPipe,
        ErrorKind::UnexpectedEof,
    ];
    let io = error.downcast_ref::<io::Error>().is_some_and(|error| KINDS.contains(&error.kind()));
    let http = error.downcast_ref::<hyper::Error>();
    io || http.is_some_and(|error| error.is_incomplete_message() || error.is_canceled() || error.is_closed())
}
