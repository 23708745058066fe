//! ProtoJSON for any message of this crate.
//!
//! Output is compact, names are in camelCase, and whole numbers inside a
//! `Struct` or `Value` are printed whole (`5`, not `5.0`): strict integer
//! decoders on the other side choke on the latter. Input takes camelCase and
//! snake_case and ignores unknown fields (A2A section 5.7).

use std::{io, sync::LazyLock};

use prost::{Message, Name};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, Kind, MessageDescriptor, SerializeOptions,
};
use serde_json::{
    Value,
    ser::{CompactFormatter, Formatter},
};
use serde_path_to_error::{Path, Track};

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
        /// The field that is wrong, such as `message.parts[0]`; empty for the whole.
        field: String,
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
    let failed = |field: String, source: Box<dyn std::error::Error + Send + Sync>| JsonError::Decode {
        kind: kind.clone(),
        field,
        source,
    };
    let value: Value = serde_json::from_slice(json).map_err(|e| failed(String::new(), e.into()))?;
    let descriptor = descriptor(&kind)?;
    if let Some(field) = strange_enum(&descriptor, &value) {
        return Err(failed(field, "is none of its values".into()));
    }
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let mut track = Track::new();
    let tracked = serde_path_to_error::Deserializer::new(value, &mut track);
    let message = DynamicMessage::deserialize_with_options(descriptor, tracked, &options)
        .map_err(|e| failed(field(&track.path()), e.into()))?;
    message.transcode_to().map_err(|e| failed(String::new(), e.into()))
}

/// The path of a name that its enum does not have: such a field would be passed
/// over as if it were unknown.
fn strange_enum(message: &MessageDescriptor, value: &Value) -> Option<String> {
    let Value::Object(fields) = value else { return None };
    fields.iter().find_map(|(name, value)| {
        let field = message.get_field_by_json_name(name).or_else(|| message.get_field_by_name(name))?;
        match field.kind() {
            Kind::Enum(values) => {
                let strange = value.as_str().is_some_and(|value| values.get_value_by_name(value).is_none());
                strange.then(|| name.clone())
            }
            // The fields of those are not what their JSON shows.
            Kind::Message(inner) if inner.package_name() == "google.protobuf" => None,
            Kind::Message(inner) if !inner.is_map_entry() => strange_inside(&inner, name, value),
            _ => None,
        }
    })
}

fn strange_inside(message: &MessageDescriptor, name: &str, value: &Value) -> Option<String> {
    if let Value::Array(items) = value {
        let mut items = items.iter().enumerate();
        return items.find_map(|(index, item)| strange_inside(message, &format!("{name}[{index}]"), item));
    }
    strange_enum(message, value).map(|field| format!("{name}.{field}"))
}

/// Text that is no JSON at all is wrong as a whole.
fn field(path: &Path) -> String {
    let path = path.to_string();
    if path == "." { String::new() } else { path.trim_end_matches(".?").to_owned() }
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
mod properties;

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
    fn a_wrong_field_is_named() {
        for (json, expected) in [
            (r#"{"parts":[{"text":"x"},{"text":7}]}"#, "parts[1].text"),
            (r#"{"messageId":7}"#, "messageId"),
            (r#"{"role":"ROLE_NONE"}"#, "role"),
            ("[]", ""),
            ("{", ""),
        ] {
            match from_slice::<crate::a2a::Message>(json.as_bytes()) {
                Err(JsonError::Decode { field, .. }) => assert_eq!(field, expected, "{json}"),
                other => panic!("{json}: {other:?}"),
            }
        }
    }

    #[test]
    fn trailing_text_is_refused() {
        assert!(from_slice::<Part>(br#"{"text":"x"} {}"#).is_err());
    }
}
