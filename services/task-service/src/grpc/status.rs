//! Errors as gRPC shows them.

use std::collections::HashMap;

use http::Response;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::error::Error;

/// The domain of every reason (A2A section 10.6).
const DOMAIN: &str = "a2a-protocol.org";

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        if let Error::Fault(fault) = &error {
            tracing::warn!(error = %fault.chain(), "a call failed");
        }
        let description = error.describe();
        let metadata: HashMap<String, String> =
            description.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(description.reason, DOMAIN, metadata);
        for violation in description.violations {
            details.add_bad_request_violation(violation.field, violation.description.into_owned());
        }
        if let Some(delay) = description.retry_after {
            details.set_retry_info(Some(delay));
        }
        Self::with_error_details(description.code, description.message, details)
    }
}

/// Gives a reason to the refusals of the gRPC library itself: of requests that
/// are too large, or that are no message of the call. Every other answer stays.
pub(crate) fn explain<B>(mut response: Response<B>) -> Response<B> {
    let bare = Status::from_header_map(response.headers()).filter(|status| status.details().is_empty());
    let (code, reason) = match bare.as_ref().map(Status::code) {
        Some(Code::OutOfRange) => (Code::ResourceExhausted, "RESOURCE_EXHAUSTED"),
        Some(Code::Internal) => (Code::InvalidArgument, "INVALID_ARGUMENT"),
        _ => return response,
    };
    let message = bare.as_ref().map(Status::message).unwrap_or_default();
    let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
    let explained = Status::with_error_details(code, message, details);
    if let Err(unwritten) = explained.add_header(response.headers_mut()) {
        tracing::error!(error = %unwritten, "a refusal cannot be written");
    }
    response
}
