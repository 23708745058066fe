//! Parts and metadata: what messages and artifacts are made of.

use a2a_proto::a2a::{Message, Part, part::Content};
use prost::Message as _;
use prost_types::{Struct, Value, value::Kind};

use super::{Bounds, Violations};

/// Deepest nesting of a Struct or Value.
const MAX_DEPTH: usize = 32;
/// Most messages of the wire within one another below a Value: a decoder stops
/// at 100, and six may be around it, from the list of tasks to the part. Deeper
/// values would decode in a request, and no more inside the task that holds it.
const MAX_LEVELS: usize = 94;
/// Levels of a list: ListValue and Value.
const LIST: usize = 2;
/// Levels of an object: Struct, the entry of its map, and Value.
const OBJECT: usize = 3;

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
    } else if let Some(problem) = problem_with_object(metadata, Room::WHOLE) {
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
            if let Some(problem) = problem_with(value, Room::WHOLE) {
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
    #[error("is nested too deep: at most {MAX_DEPTH} lists, or {} objects", MAX_LEVELS / OBJECT)]
    Depth,
    #[error("holds a number that JSON cannot write")]
    Number,
    #[error("lacks a value; JSON null is a value of its own")]
    Missing,
}

/// How much deeper a value may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    depth: usize,
    levels: usize,
}

impl Room {
    const WHOLE: Self = Self { depth: MAX_DEPTH, levels: MAX_LEVELS };

    /// What is left inside a list or an object.
    fn inside(self, levels: usize) -> Result<Self, Problem> {
        match (self.depth.checked_sub(1), self.levels.checked_sub(levels)) {
            (Some(depth), Some(levels)) => Ok(Self { depth, levels }),
            _ => Err(Problem::Depth),
        }
    }
}

fn problem_with(value: &Value, room: Room) -> Option<Problem> {
    match value.kind.as_ref() {
        None => Some(Problem::Missing),
        Some(Kind::NumberValue(number)) => (!number.is_finite()).then_some(Problem::Number),
        Some(Kind::ListValue(list)) => problem_inside(list.values.iter(), room.inside(LIST)),
        Some(Kind::StructValue(object)) => problem_with_object(object, room),
        Some(Kind::NullValue(_) | Kind::BoolValue(_) | Kind::StringValue(_)) => None,
    }
}

fn problem_with_object(object: &Struct, room: Room) -> Option<Problem> {
    problem_inside(object.fields.values(), room.inside(OBJECT))
}

fn problem_inside<'a>(
    mut values: impl Iterator<Item = &'a Value>,
    room: Result<Room, Problem>,
) -> Option<Problem> {
    match room {
        Ok(room) => values.find_map(|value| problem_with(value, room)),
        Err(problem) => Some(problem),
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

    fn object(inner: Value) -> Value {
        Value { kind: Some(Kind::StructValue(Struct { fields: [("k".to_owned(), inner)].into() })) }
    }

    #[test]
    fn depth_is_limited() {
        assert_eq!(problem_with(&nested(31), Room::WHOLE), None);
        assert_eq!(problem_with(&nested(32), Room::WHOLE), Some(Problem::Depth));
    }

    #[test]
    fn objects_take_more_of_what_a_decoder_can_follow() {
        let objects = |count| (0..count).fold(nested(0), |inner, _| object(inner));
        assert_eq!(problem_with(&objects(30), Room::WHOLE), None);
        assert_eq!(problem_with(&objects(31), Room::WHOLE), Some(Problem::Depth));
        assert_eq!(Problem::Depth.to_string(), "is nested too deep: at most 32 lists, or 31 objects");
    }

    #[test]
    fn what_json_cannot_write_is_refused() {
        let not_a_number = Value { kind: Some(Kind::NumberValue(f64::NAN)) };
        assert_eq!(problem_with(&not_a_number, Room::WHOLE), Some(Problem::Number));
        let holed = ListValue { values: vec![Value { kind: None }] };
        let holed = Value { kind: Some(Kind::ListValue(holed)) };
        assert_eq!(problem_with(&holed, Room::WHOLE), Some(Problem::Missing));
    }
}
