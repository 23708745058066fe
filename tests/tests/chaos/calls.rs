//! Calls that are made again until they are answered.

use std::{future::Future, time::Duration};

use a2a_tests::{clients, until};
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt as _;

/// Longer than any outage of a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// Whether nobody can say what became of the call: the process or its store
/// went away. Everything that the service decides carries a reason.
pub(crate) fn is_unanswered(status: &Status) -> bool {
    status.get_details_error_info().is_none_or(|info| info.reason == "UNAVAILABLE")
}

/// Makes a call that is safe to repeat until it is answered.
///
/// # Panics
/// When it is refused.
pub(crate) async fn answered<T, F>(what: &str, call: impl Fn() -> F) -> Response<T>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    until(what, PATIENCE, || async {
        match call().await {
            Ok(response) => Some(response),
            Err(status) if is_unanswered(&status) => None,
            Err(status) => panic!("{what}: {status:?}"),
        }
    })
    .await
}

/// The same request under a key: sent again, it is taken once.
pub(crate) fn keyed<T>(key: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("idempotency-key", key.parse().expect("a key of ASCII"));
    request
}

/// The revision at which the task is, when that is why a call was refused.
pub(crate) fn mismatch(status: &Status) -> Option<i64> {
    let info = (status.code() == Code::Aborted).then(|| clients::error_info(status))?;
    (info.reason == "REVISION_MISMATCH").then(|| info.metadata["revision"].parse().expect("a revision"))
}
