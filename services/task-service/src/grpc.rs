//! The gRPC doors: thin, without a rule of their own.

mod agents;
mod clients;
mod status;

pub(crate) use agents::AgentDoor;
pub(crate) use clients::ClientDoor;
pub(crate) use status::explain;

use a2a_runtime::trace::TraceContext;
use tonic::{Request, Response, metadata::MetadataMap};

use crate::call::{self, Call};

/// Metadata that names the task's revision in answers.
const REVISION: &str = "a2a-revision";
/// Metadata that says whether a subscription goes on from the revision named.
const RESUMED: &str = "a2a-resumed";

/// The service parameters and the message of a request.
fn open<T>(missing_version: &str, request: Request<T>) -> (Call, T) {
    let (metadata, _, message) = request.into_parts();
    (read_call(missing_version, metadata), message)
}

fn read_call(missing_version: &str, metadata: MetadataMap) -> Call {
    let text = |key: &str| metadata.get(key).map(|value| value.to_str().unwrap_or("\u{fffd}"));
    let version =
        text("a2a-version").filter(|version| !version.is_empty()).unwrap_or(missing_version).to_owned();
    let idempotency_key = text("idempotency-key").map(str::to_owned);
    let resume_after = text("a2a-resume-after").map(str::to_owned);
    let extensions = metadata
        .get_all("a2a-extensions")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(call::extensions)
        .collect();
    let trace = TraceContext::from_headers(&metadata.into_headers());
    Call { version, extensions, trace, idempotency_key, resume_after }
}

/// An answer that says which revision of the task it shows.
fn at_revision<T>(message: T, revision: u64) -> Response<T> {
    let mut response = Response::new(message);
    response.metadata_mut().insert(REVISION, revision.into());
    response
}
