//! An extension of this service: the revision in the metadata of each item of a
//! stream, for callers that want to resume it (A2A section 4.6).

use a2a_proto::a2a::{StreamResponse, stream_response::Payload};
use prost_types::{Struct, Value, value::Kind};

use crate::{call::Call, follow::Item};

/// The extension, and the key under which items carry their revision.
pub const EXTENSION: &str = "urn:a2a-tasks:revision:v1";

/// Whether the caller names the extension in `A2A-Extensions`.
#[must_use]
pub fn are_wanted(call: &Call) -> bool {
    call.extensions.iter().any(|uri| uri == EXTENSION)
}

/// The item with its revision in its metadata.
#[must_use]
pub fn shown(item: Item) -> StreamResponse {
    let mut response = item.response;
    let metadata = match &mut response.payload {
        Some(Payload::Task(task)) => &mut task.metadata,
        Some(Payload::Message(message)) => &mut message.metadata,
        Some(Payload::StatusUpdate(update)) => &mut update.metadata,
        Some(Payload::ArtifactUpdate(update)) => &mut update.metadata,
        None => return response,
    };
    #[allow(clippy::cast_precision_loss, reason = "revisions stay far below 2^53")]
    let revision = Value { kind: Some(Kind::NumberValue(item.revision as f64)) };
    metadata.get_or_insert_with(Struct::default).fields.insert(EXTENSION.to_owned(), revision);
    response
}
