//! The artifacts that the suite looks for.

use a2a_proto::a2a::{Artifact, Part, part::Content};

use crate::agent::{Step, text_part};

const FILE_NAME: &str = "output.txt";
const TEXT: &str = "text/plain";

pub(super) fn text(text: &str) -> Step {
    whole(text_part(text))
}

/// A file by its bytes.
pub(super) fn raw() -> Step {
    whole(file(Content::Raw(b"tck".to_vec().into())))
}

/// A file by its address.
pub(super) fn url() -> Step {
    whole(file(Content::Url("https://example.com/output.txt".to_owned())))
}

/// Exactly `{"key":"value","count":42}`.
pub(super) fn data() -> Step {
    use prost_types::{Struct, Value, value::Kind};
    let value = |kind| Value { kind: Some(kind) };
    let fields = [
        ("key".to_owned(), value(Kind::StringValue("value".to_owned()))),
        ("count".to_owned(), value(Kind::NumberValue(42.0))),
    ];
    let object = value(Kind::StructValue(Struct { fields: fields.into() }));
    whole(Part { content: Some(Content::Data(object)), ..Part::default() })
}

/// A piece of an artifact that comes in several.
pub(super) fn chunk(text: &str, last: bool) -> Step {
    Step::Artifact { artifact: artifact("chunked", text_part(text)), append: true, last }
}

fn whole(part: Part) -> Step {
    Step::Artifact { artifact: artifact("output", part), append: false, last: true }
}

fn artifact(id: &str, part: Part) -> Artifact {
    Artifact { artifact_id: id.to_owned(), parts: vec![part], ..Artifact::default() }
}

fn file(content: Content) -> Part {
    Part {
        content: Some(content),
        filename: FILE_NAME.to_owned(),
        media_type: TEXT.to_owned(),
        ..Part::default()
    }
}
