//! ProtoJSON for any message of this crate.
//!
//! Output is compact, names are in camelCase, and whole numbers inside a
//! `Struct` or `Value` are printed whole (`5`, not `5.0`): strict integer
//! decoders on the other side choke on the latter. Input takes camelCase and
//! snake_case and ignores unknown fields (A2A section 5.7).

use std::{io, sync::LazyLock};

use prost::{Message, Name};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions,
};
use serde_json::ser::{CompactFormatter, Formatter};

use crate::DESCRIPTORS;

/// The largest integer up to which every whole `f64` is exact (RFC 8259 section 6).
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Why a message could not be turned into JSON or read from it.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The bytes are no message of the type, or hold a value that JSON cannot show.
    #[error("message of type {kind} cannot be shown as JSON")]
    Encode {
        /// Full name of the message type.
        kind: String,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The text is not JSON, or not JSON of the type.
    #[error("invalid JSON for {kind}")]
    Decode {
        /// Full name of the message type.
        kind: String,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No such type is known.
    #[error("unknown message type {0}")]
    UnknownType(String),
}

/// `message` as compact ProtoJSON.
pub fn to_vec<M: Message + Name>(message: &M) -> Result<Vec<u8>, JsonError> {
    encoded_to_vec(&M::full_name(), &message.encode_to_vec())
}

/// The already encoded message of type `kind` as compact ProtoJSON.
pub fn encoded_to_vec(kind: &str, encoded: &[u8]) -> Result<Vec<u8>, JsonError> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| JsonError::Encode {
        kind: kind.to_owned(),
        source,
    };
    let message = DynamicMessage::decode(descriptor(kind)?, encoded).map_err(|e| failed(e.into()))?;
    let mut json = Vec::with_capacity(encoded.len() * 2);
    let mut serializer = serde_json::Serializer::with_formatter(&mut json, WholeNumbers);
    message
        .serialize_with_options(&mut serializer, &SerializeOptions::new())
        .map_err(|e| failed(e.into()))?;
    Ok(json)
}

/// Reads a message from ProtoJSON.
pub fn from_slice<M: Message + Name + Default>(json: &[u8]) -> Result<M, JsonError> {
    let kind = M::full_name();
    let failed =
        |source: Box<dyn std::error::Error + Send + Sync>| JsonError::Decode { kind: kind.clone(), source };
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message = DynamicMessage::deserialize_with_options(descriptor(&kind)?, &mut deserializer, &options)
        .map_err(|e| failed(e.into()))?;
    deserializer.end().map_err(|e| failed(e.into()))?;
    message.transcode_to().map_err(|e| failed(e.into()))
}

fn descriptor(kind: &str) -> Result<MessageDescriptor, JsonError> {
    static POOL: LazyLock<Option<DescriptorPool>> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
    POOL.as_ref()
        .and_then(|pool| pool.get_message_by_name(kind))
        .ok_or_else(|| JsonError::UnknownType(kind.to_owned()))
}

/// Prints whole numbers without a fraction. The protocol has no other doubles
/// than those inside `Struct` and `Value`, so no typed field is affected.
struct WholeNumbers;

impl Formatter for WholeNumbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER {
            #[allow(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
            return CompactFormatter.write_i64(writer, value as i64);
        }
        CompactFormatter.write_f64(writer, value)
    }
}

#[cfg(test)]
mod tests {
    use crate::a2a::{Artifact, Part, StreamResponse, TaskArtifactUpdateEvent, part, stream_response};

    use super::*;

    fn data(json: &str) -> String {
        let part: Part = from_slice(format!(r#"{{"data":{json}}}"#).as_bytes()).unwrap();
        String::from_utf8(to_vec(&part).unwrap()).unwrap()
    }

    #[test]
    fn whole_numbers_are_printed_whole() {
        assert_eq!(data("5"), r#"{"data":5}"#);
        assert_eq!(data("5.0"), r#"{"data":5}"#);
        assert_eq!(data("-5"), r#"{"data":-5}"#);
        assert_eq!(data("1.5"), r#"{"data":1.5}"#);
        assert_eq!(data("1e21"), r#"{"data":1e+21}"#);
    }

    #[test]
    fn a_null_data_part_survives() {
        assert_eq!(data("null"), r#"{"data":null}"#);
    }

    #[test]
    fn input_takes_both_spellings_and_ignores_the_unknown() {
        let camel: Part = from_slice(br#"{"text":"x","mediaType":"a/b","later":1}"#).unwrap();
        let snake: Part = from_slice(br#"{"text":"x","media_type":"a/b"}"#).unwrap();
        assert_eq!(camel, snake);
        assert_eq!(camel.media_type, "a/b");
    }

    #[test]
    fn a_stream_response_has_exactly_its_member() {
        let part = Part { content: Some(part::Content::Raw(vec![255, 254, 0].into())), ..Part::default() };
        let event = StreamResponse {
            payload: Some(stream_response::Payload::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id: "t".into(),
                context_id: "c".into(),
                artifact: Some(Artifact {
                    artifact_id: "a".into(),
                    parts: vec![part],
                    ..Artifact::default()
                }),
                ..TaskArtifactUpdateEvent::default()
            })),
        };
        assert_eq!(
            String::from_utf8(to_vec(&event).unwrap()).unwrap(),
            r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"raw":"//4A"}]}}}"#
        );
    }

    #[test]
    fn trailing_text_is_refused() {
        assert!(from_slice::<Part>(br#"{"text":"x"} {}"#).is_err());
    }
}
