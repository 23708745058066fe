//! What comes with a call beside its message: the service parameters of A2A
//! section 3.2.6 and the trace context. Doors fill it from headers.

use a2a_runtime::trace::TraceContext;

use crate::{card::Card, error::Error};

/// The version that is spoken here; patch numbers do not count (section 3.6).
const MAJOR_MINOR: &str = "1.0";

/// Longest idempotency key, bytes.
const MAX_KEY_BYTES: usize = 256;

/// The circumstances of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// `A2A-Version`, as named, or what the door takes a missing one for.
    pub version: String,
    /// `A2A-Extensions`: URIs that the caller understands.
    pub extensions: Vec<String>,
    /// W3C Trace Context.
    pub trace: TraceContext,
    /// `Idempotency-Key`, as it came: see [`Call::key`].
    pub idempotency_key: Option<String>,
    /// The revision after which a subscription goes on, as it came: see
    /// [`Call::resume_revision`].
    pub resume_after: Option<String>,
}

impl Call {
    /// Refuses what no RPC answers: a version that is not spoken here, then a
    /// missing required extension.
    pub fn admit(&self, card: &Card) -> Result<(), Error> {
        if !speaks(&self.version) {
            return Err(Error::VersionNotSupported(self.version.clone()));
        }
        match card.required_extensions().find(|uri| !self.extensions.iter().any(|named| named == uri)) {
            Some(missing) => Err(Error::ExtensionRequired(missing.to_owned())),
            None => Ok(()),
        }
    }

    /// Names the send, so that it can be sent again. Read once the call is
    /// admitted: what no RPC answers is refused first.
    pub fn key(&self) -> Result<Option<&str>, Error> {
        let fits =
            |key: &str| (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
        match self.idempotency_key.as_deref() {
            Some(key) if !fits(key) => Err(Error::invalid(
                "idempotency-key",
                format!("must be 1 to {MAX_KEY_BYTES} visible ASCII characters"),
            )),
            key => Ok(key),
        }
    }

    /// The revision after which a subscription goes on.
    pub fn resume_revision(&self) -> Result<Option<u64>, Error> {
        let revision = self.resume_after.as_deref().map(str::parse).transpose();
        revision.map_err(|_| Error::invalid("a2a-resume-after", "must be a revision: a whole number"))
    }

    /// The trace context in one string, as the store keeps it.
    #[must_use]
    pub fn stored_trace(&self) -> String {
        format!("{} {}", self.trace.traceparent, self.trace.tracestate).trim().to_owned()
    }
}

/// The URIs of an `A2A-Extensions` value.
pub fn extensions(value: &str) -> impl Iterator<Item = String> + '_ {
    value.split(',').map(str::trim).filter(|uri| !uri.is_empty()).map(str::to_owned)
}

fn speaks(version: &str) -> bool {
    let version = version.trim();
    let mut numbers = version.split('.');
    let major_minor = [numbers.next(), numbers.next()].map(Option::unwrap_or_default).join(".");
    let patch =
        numbers.next().is_none_or(|patch| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit()));
    major_minor == MAJOR_MINOR && patch && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_major_and_minor_count() {
        for version in ["1.0", "1.0.1", "1.0.9", " 1.0 "] {
            assert!(speaks(version), "{version:?}");
        }
        for version in ["", "0.3", "1.1", "1", "99.0", "1.0.x", "1.0.", "1.0.0.0", "v1.0", "1.00"] {
            assert!(!speaks(version), "{version:?}");
        }
    }

    #[test]
    fn extensions_are_comma_separated() {
        assert_eq!(extensions(" urn:a, ,urn:b ").collect::<Vec<_>>(), ["urn:a", "urn:b"]);
    }
}
