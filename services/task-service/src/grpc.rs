//! The gRPC doors: thin, without a rule of their own.

mod agents;
mod clients;
mod status;

pub(crate) use agents::AgentDoor;
pub(crate) use clients::ClientDoor;

use a2a_runtime::trace::TraceContext;
use tonic::{Request, Response, metadata::MetadataMap};

use crate::call::{self, Call};

/// Metadata that names the task's revision in answers.
const REVISION: &str = "a2a-revision";

/// The service parameters and the message of a request.
fn open<T>(request: Request<T>) -> (Call, T) {
    let (metadata, _, message) = request.into_parts();
    (read_call(metadata), message)
}

fn read_call(metadata: MetadataMap) -> Call {
    let text = |key: &str| metadata.get(key).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let version = text("a2a-version").to_owned();
    let extensions = metadata
        .get_all("a2a-extensions")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(call::extensions)
        .collect();
    Call { version, extensions, trace: TraceContext::from_headers(&metadata.into_headers()) }
}

/// An answer that says which revision of the task it shows.
fn at_revision<T>(message: T, revision: u64) -> Response<T> {
    let mut response = Response::new(message);
    response.metadata_mut().insert(REVISION, revision.into());
    response
}
