//! Values that no field takes.

use a2a_proto::a2a::{Part, part::Content};
use prost_types::{ListValue, Struct, Value, value::Kind};

/// One level more than lists may have; objects may have one less.
const TOO_DEEP: usize = 33;

pub(super) fn long() -> String {
    "x".repeat(257)
}

/// Control characters of ASCII and beyond.
pub(super) const CONTROLS: [&str; 4] = ["a\0b", "a\nb", "\u{7f}", "a\u{85}b"];

/// What can neither be shown as JSON nor read back: by name.
pub(super) fn bad_values() -> Vec<(&'static str, Value)> {
    vec![
        ("33 levels of lists", lists(TOO_DEEP)),
        ("32 levels of objects", objects(TOO_DEEP - 1)),
        ("NaN", number(f64::NAN)),
        ("infinity", number(f64::NEG_INFINITY)),
        ("NaN in a list", list(vec![number(f64::NAN)])),
        ("no value", Value { kind: None }),
        ("no value in a list", list(vec![Value { kind: None }])),
    ]
}

/// Metadata with a bad member; the depth of objects counts its own level.
pub(super) fn bad_metadata() -> Vec<(&'static str, Struct)> {
    let in_object = |value| Struct { fields: [("k".to_owned(), value)].into() };
    bad_values().into_iter().map(|(name, value)| (name, in_object(value))).collect()
}

pub(super) fn nan() -> Struct {
    Struct { fields: [("k".to_owned(), number(f64::NAN))].into() }
}

pub(super) fn lists(depth: usize) -> Value {
    (1..depth).fold(list(Vec::new()), |inner, _| list(vec![inner]))
}

pub(super) fn data(value: Value) -> Part {
    Part { content: Some(Content::Data(value)), ..Part::default() }
}

fn objects(depth: usize) -> Value {
    let object = |fields| Value { kind: Some(Kind::StructValue(Struct { fields })) };
    (1..depth).fold(object([].into()), |inner, _| object([("k".to_owned(), inner)].into()))
}

fn list(values: Vec<Value>) -> Value {
    Value { kind: Some(Kind::ListValue(ListValue { values })) }
}

fn number(number: f64) -> Value {
    Value { kind: Some(Kind::NumberValue(number)) }
}
