//! Errors as gRPC shows them.

use std::collections::HashMap;

use tonic::Status;
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
