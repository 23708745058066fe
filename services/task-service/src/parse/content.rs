//! Parts and metadata: what messages and artifacts are made of.

use a2a_proto::a2a::{Message, Part, part::Content};
use prost::Message as _;
use prost_types::{Struct, Value, value::Kind};

use super::{Bounds, Violations};

/// Deepest nesting of a Struct or Value. A decoder stops at 100 levels, counted
/// from the outermost message: deeper values would decode in a request, and no
/// more inside the task that holds it.
const MAX_DEPTH: usize = 32;

pub(super) fn check_message(violations: &mut Violations, path: &str, message: &Message, bounds: Bounds) {
    violations.required_id(&format!("{path}.messageId"), &message.message_id);
    violations.optional_id(&format!("{path}.contextId"), &message.context_id);
    check_parts(violations, path, &message.parts, bounds);
    check_metadata(violations, &format!("{path}.metadata"), message.metadata.as_ref(), bounds);
    if message.encoded_len() > bounds.max_message_bytes {
        violations.add(path, format!("is larger than {} bytes", bounds.max_message_bytes));
    }
    for (index, uri) in message.extensions.iter().enumerate() {
        if uri.trim().is_empty() {
            violations.add(format!("{path}.extensions[{index}]"), "is empty");
        }
    }
    for (index, id) in message.reference_task_ids.iter().enumerate() {
        violations.required_id(&format!("{path}.referenceTaskIds[{index}]"), id);
    }
}

pub(super) fn check_parts(violations: &mut Violations, path: &str, parts: &[Part], bounds: Bounds) {
    if parts.is_empty() {
        violations.add(format!("{path}.parts"), "must hold at least one part");
    }
    if parts.len() > bounds.max_parts {
        violations.add(format!("{path}.parts"), format!("holds more than {} parts", bounds.max_parts));
        return;
    }
    for (index, part) in parts.iter().enumerate() {
        check_part(violations, &format!("{path}.parts[{index}]"), part, bounds);
    }
}

pub(super) fn check_metadata(
    violations: &mut Violations,
    path: &str,
    metadata: Option<&Struct>,
    bounds: Bounds,
) {
    let Some(metadata) = metadata else { return };
    if metadata.encoded_len() > bounds.max_metadata_bytes {
        violations.add(path, format!("is larger than {} bytes", bounds.max_metadata_bytes));
    }
    if !metadata.fields.values().all(|value| is_shallow(value, MAX_DEPTH - 1)) {
        violations.add(path, format!("is nested deeper than {MAX_DEPTH} levels"));
    }
}

fn check_part(violations: &mut Violations, path: &str, part: &Part, bounds: Bounds) {
    if part.encoded_len() > bounds.max_part_bytes {
        violations.add(path, format!("is larger than {} bytes", bounds.max_part_bytes));
    }
    match &part.content {
        None => violations.add(path, "must hold exactly one of text, raw, url and data"),
        Some(Content::Url(url)) if url.is_empty() => violations.add(format!("{path}.url"), "is empty"),
        Some(Content::Data(value)) if !is_shallow(value, MAX_DEPTH) => {
            violations.add(format!("{path}.data"), format!("is nested deeper than {MAX_DEPTH} levels"));
        }
        Some(Content::Data(value)) if value.kind.is_none() => {
            violations.add(format!("{path}.data"), "has no value; JSON null is a value of its own");
        }
        Some(_) => {}
    }
    check_metadata(violations, &format!("{path}.metadata"), part.metadata.as_ref(), bounds);
}

/// Whether a value nests at most `depth` deep. Numbers that JSON cannot write
/// are refused with it: no reader of the task could show them.
fn is_shallow(value: &Value, depth: usize) -> bool {
    match &value.kind {
        Some(Kind::NumberValue(number)) => number.is_finite(),
        Some(Kind::ListValue(list)) => {
            depth > 0 && list.values.iter().all(|value| is_shallow(value, depth - 1))
        }
        Some(Kind::StructValue(fields)) => {
            depth > 0 && fields.fields.values().all(|value| is_shallow(value, depth - 1))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use prost_types::ListValue;

    use super::*;

    fn nested(depth: usize) -> Value {
        let inner = (depth > 0).then(|| nested(depth - 1));
        Value { kind: Some(Kind::ListValue(ListValue { values: inner.into_iter().collect() })) }
    }

    #[test]
    fn depth_is_limited() {
        assert!(is_shallow(&nested(31), MAX_DEPTH));
        assert!(!is_shallow(&nested(32), MAX_DEPTH));
    }

    #[test]
    fn numbers_that_json_cannot_write_are_refused() {
        assert!(!is_shallow(&Value { kind: Some(Kind::NumberValue(f64::NAN)) }, MAX_DEPTH));
    }
}
