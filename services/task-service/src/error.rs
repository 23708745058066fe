//! Why a call is not answered as asked, and the one place that maps it to the
//! wire (A2A section 5.4).
//!
//! A refusal is the caller's doing and says what to change; a fault is ours and
//! says nothing of our insides. Every door turns [`Error`] into its own form
//! through [`Error::describe`].

use std::{borrow::Cow, time::Duration};

use a2a_lifecycle::Refusal;
use a2a_proto::json::JsonError;
use a2a_store::Fault;

/// After how long a caller may try again when the store was away.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A call that cannot be answered as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `A2A-Version` names a version that is not served (section 3.6.2).
    #[error("A2A version {0:?} is not supported; this service speaks 1.0")]
    VersionNotSupported(String),
    /// The card requires an extension that the request does not name.
    #[error("the extension {0} is required: name it in A2A-Extensions")]
    ExtensionRequired(String),
    /// The card does not declare `capabilities.pushNotifications`.
    #[error("this agent does not support push notifications")]
    PushNotSupported,
    /// The card does not declare `capabilities.streaming`.
    #[error("this agent does not support streaming")]
    StreamingNotSupported,
    /// The card does not declare `capabilities.extendedAgentCard`.
    #[error("this agent has no extended card")]
    ExtendedCardNotSupported,
    /// It is declared, and none was given to this deployment.
    #[error("no extended card is configured")]
    ExtendedCardNotConfigured,
    /// The request is malformed.
    #[error("the request is invalid: {}", summary(.0))]
    Invalid(Vec<Violation>),
    /// A part is of a media type that the agent does not take.
    #[error("{field}: the agent does not take {media_type}")]
    ContentTypeNotSupported {
        /// Path of the part's media type.
        field: String,
        /// What it names.
        media_type: String,
    },
    /// The message names a context that has no task, and none may begin so.
    #[error("the agent does not accept this contextId")]
    ContextNotAccepted,
    /// The tenant has as many tasks as it may.
    #[error("there are already {0} tasks")]
    TaskLimit(u64),
    /// The caller has as many streams open as it may.
    #[error("{0} streams are already open")]
    StreamLimit(usize),
    /// What is to be shown as JSON cannot be.
    #[error("the answer cannot be shown as JSON")]
    Unshowable(#[from] JsonError),
    /// No such task, or none that the caller may see; or no such webhook.
    #[error("no such task or push notification config")]
    NotFound,
    /// A stream was asked of a task that has ended.
    #[error("the task has ended: there is nothing to subscribe to")]
    SubscribeTerminal,
    /// The task has as many webhooks as it may.
    #[error("the task already has {0} push notification configs")]
    ConfigLimit(usize),
    /// The caller's lease is another's by now.
    #[error("the lease is not held under this token")]
    LeaseLost,
    /// The lifecycle refuses the command.
    #[error(transparent)]
    Lifecycle(#[from] Refusal),
    /// Others changed the task faster than this call could decide.
    #[error("the task is changing too fast; try again")]
    Contended,
    /// The service is shutting down.
    #[error("the service is stopping; connect again")]
    Stopping,
    /// The store is away, or holds what cannot be read.
    #[error("the task store is unavailable")]
    Fault(#[from] Fault),
}

/// One malformed field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its path, such as `message.parts[0]`.
    pub field: String,
    /// What is wrong with it.
    pub description: Cow<'static, str>,
}

/// An error as any door shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The reason in `google.rpc.ErrorInfo`.
    pub reason: &'static str,
    /// The gRPC code.
    pub code: tonic::Code,
    /// The JSON-RPC code.
    pub json_rpc: i32,
    /// For people.
    pub message: String,
    /// More for programs, in `google.rpc.ErrorInfo`.
    pub metadata: Vec<(&'static str, String)>,
    /// Malformed fields, for `google.rpc.BadRequest`.
    pub violations: Vec<Violation>,
    /// When a retry makes sense, for `google.rpc.RetryInfo`.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// A request with one malformed field.
    #[must_use]
    pub fn invalid(field: impl Into<String>, description: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(vec![Violation { field: field.into(), description: description.into() }])
    }

    /// A body that is no JSON of its message.
    #[must_use]
    pub fn from_json(error: &JsonError) -> Self {
        let field = if let JsonError::Decode { field, .. } = error { field.as_str() } else { "" };
        let cause = std::error::Error::source(error).map(ToString::to_string);
        Self::invalid(field, cause.unwrap_or_else(|| error.to_string()))
    }

    /// How doors show it.
    #[must_use]
    pub fn describe(&self) -> Description {
        let (reason, code) = self.identity();
        Description {
            reason,
            code,
            json_rpc: json_rpc(reason, code),
            message: self.to_string(),
            metadata: self.metadata(),
            violations: match self {
                Self::Invalid(violations) => violations.clone(),
                Self::ContentTypeNotSupported { field, .. } => vec![Violation {
                    field: field.clone(),
                    description: "is a media type that the agent does not take".into(),
                }],
                _ => Vec::new(),
            },
            retry_after: matches!(code, tonic::Code::Unavailable | tonic::Code::Aborted)
                .then_some(RETRY_AFTER),
        }
    }

    /// The table of the protocol: reason and gRPC code.
    fn identity(&self) -> (&'static str, tonic::Code) {
        use tonic::Code::{
            Aborted, FailedPrecondition, Internal, InvalidArgument, NotFound, ResourceExhausted, Unavailable,
        };
        match self {
            Self::VersionNotSupported(_) => ("VERSION_NOT_SUPPORTED", FailedPrecondition),
            Self::ExtensionRequired(_) => ("EXTENSION_SUPPORT_REQUIRED", FailedPrecondition),
            Self::PushNotSupported => ("PUSH_NOTIFICATION_NOT_SUPPORTED", FailedPrecondition),
            Self::StreamingNotSupported
            | Self::ExtendedCardNotSupported
            | Self::SubscribeTerminal
            | Self::Lifecycle(Refusal::TaskTerminal { .. }) => ("UNSUPPORTED_OPERATION", FailedPrecondition),
            Self::ExtendedCardNotConfigured => ("EXTENDED_AGENT_CARD_NOT_CONFIGURED", FailedPrecondition),
            Self::Invalid(_) | Self::Lifecycle(Refusal::ArtifactClosed) => {
                ("INVALID_ARGUMENT", InvalidArgument)
            }
            Self::Lifecycle(Refusal::ContextMismatch) => ("CONTEXT_MISMATCH", InvalidArgument),
            Self::NotFound => ("TASK_NOT_FOUND", NotFound),
            Self::ContentTypeNotSupported { .. } => ("CONTENT_TYPE_NOT_SUPPORTED", InvalidArgument),
            Self::ContextNotAccepted => ("CONTEXT_NOT_ACCEPTED", InvalidArgument),
            Self::ConfigLimit(_)
            | Self::TaskLimit(_)
            | Self::StreamLimit(_)
            | Self::Lifecycle(Refusal::HistoryLimit { .. }) => ("RESOURCE_EXHAUSTED", ResourceExhausted),
            Self::Lifecycle(Refusal::NotCancelable { .. } | Refusal::NotCancelableNow) => {
                ("TASK_NOT_CANCELABLE", FailedPrecondition)
            }
            Self::Lifecycle(Refusal::StateConflict { .. }) => ("TASK_STATE_CONFLICT", FailedPrecondition),
            Self::LeaseLost => ("LEASE_LOST", FailedPrecondition),
            Self::Lifecycle(Refusal::RevisionMismatch { .. }) => ("REVISION_MISMATCH", Aborted),
            Self::Contended => ("CONTENDED", Aborted),
            Self::Stopping => ("UNAVAILABLE", Unavailable),
            Self::Fault(fault) if fault.is_transient() => ("UNAVAILABLE", Unavailable),
            Self::Fault(_) | Self::Unshowable(_) => ("INTERNAL", Internal),
        }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Lifecycle(
                Refusal::StateConflict { state }
                | Refusal::NotCancelable { state }
                | Refusal::TaskTerminal { state },
            ) => vec![("state", state.to_string())],
            Self::Lifecycle(Refusal::RevisionMismatch { current }) => vec![("revision", current.to_string())],
            Self::ExtensionRequired(uri) => vec![("extension", uri.clone())],
            Self::VersionNotSupported(_) => vec![("supported", "1.0".to_owned())],
            _ => Vec::new(),
        }
    }
}

/// The codes of the JSON-RPC binding (A2A section 5.4).
fn json_rpc(reason: &str, code: tonic::Code) -> i32 {
    match reason {
        "TASK_NOT_FOUND" => -32001,
        "TASK_NOT_CANCELABLE" => -32002,
        "PUSH_NOTIFICATION_NOT_SUPPORTED" => -32003,
        "UNSUPPORTED_OPERATION" => -32004,
        "CONTENT_TYPE_NOT_SUPPORTED" => -32005,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED" => -32007,
        "EXTENSION_SUPPORT_REQUIRED" => -32008,
        "VERSION_NOT_SUPPORTED" => -32009,
        _ if code == tonic::Code::InvalidArgument => -32602,
        _ => -32603,
    }
}

fn summary(violations: &[Violation]) -> String {
    let lines = violations.iter().map(|violation| format!("{}: {}", violation.field, violation.description));
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use a2a_lifecycle::State;

    use super::*;

    #[test]
    fn a_state_conflict_carries_the_state() {
        let error = Error::from(Refusal::StateConflict { state: State::Working });
        assert_eq!(error.describe().metadata, [("state", "TASK_STATE_WORKING".to_owned())]);
    }

    #[test]
    fn an_invalid_request_names_its_fields() {
        let described = Error::invalid("message.parts[0]", "is empty").describe();
        assert_eq!(described.code, tonic::Code::InvalidArgument);
        assert_eq!(described.violations[0].field, "message.parts[0]");
        assert_eq!(described.message, "the request is invalid: message.parts[0]: is empty");
    }
}
