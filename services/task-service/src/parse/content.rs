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
    } else if let Some(problem) =
        metadata.fields.values().find_map(|value| problem_with(value, MAX_DEPTH - 1))
    {
        violations.add(path, problem.to_string());
    }
}

fn check_part(violations: &mut Violations, path: &str, part: &Part, bounds: Bounds) {
    if part.encoded_len() > bounds.max_part_bytes {
        violations.add(path, format!("is larger than {} bytes", bounds.max_part_bytes));
    }
    match &part.content {
        None => violations.add(path, "must hold exactly one of text, raw, url and data"),
        Some(Content::Url(url)) if url.is_empty() => violations.add(format!("{path}.url"), "is empty"),
        Some(Content::Data(value)) => {
            if let Some(problem) = problem_with(value, MAX_DEPTH) {
                violations.add(format!("{path}.data"), problem.to_string());
            }
        }
        Some(_) => {}
    }
    check_metadata(violations, &format!("{path}.metadata"), part.metadata.as_ref(), bounds);
}

/// Why a value cannot be taken: no reader of the task could show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("is nested deeper than {MAX_DEPTH} levels")]
    Depth,
    #[error("holds a number that JSON cannot write")]
    Number,
    #[error("lacks a value; JSON null is a value of its own")]
    Missing,
}

/// Looks through a value that may nest `depth` deep.
fn problem_with(value: &Value, depth: usize) -> Option<Problem> {
    match value.kind.as_ref() {
        None => Some(Problem::Missing),
        Some(Kind::NumberValue(number)) => (!number.is_finite()).then_some(Problem::Number),
        Some(Kind::ListValue(_) | Kind::StructValue(_)) if depth == 0 => Some(Problem::Depth),
        Some(Kind::ListValue(list)) => list.values.iter().find_map(|value| problem_with(value, depth - 1)),
        Some(Kind::StructValue(fields)) => {
            fields.fields.values().find_map(|value| problem_with(value, depth - 1))
        }
        Some(Kind::NullValue(_) | Kind::BoolValue(_) | Kind::StringValue(_)) => None,
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
        assert_eq!(problem_with(&nested(31), MAX_DEPTH), None);
        assert_eq!(problem_with(&nested(32), MAX_DEPTH), Some(Problem::Depth));
    }

    #[test]
    fn what_json_cannot_write_is_refused() {
        let not_a_number = Value { kind: Some(Kind::NumberValue(f64::NAN)) };
        assert_eq!(problem_with(&not_a_number, MAX_DEPTH), Some(Problem::Number));
        let holed = ListValue { values: vec![Value { kind: None }] };
        let holed = Value { kind: Some(Kind::ListValue(holed)) };
        assert_eq!(problem_with(&holed, MAX_DEPTH), Some(Problem::Missing));
    }
}
