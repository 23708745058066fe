//! How a task lies in Redis, read back.

use std::collections::{BTreeMap, HashMap};

use a2a_lifecycle::{State, transition};
use a2a_proto::a2a::{Artifact, Message, Task, TaskStatus};
use prost_types::Struct;

/// A value in Redis that is not what was written there.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// A field of the task's hash is missing or no number.
    #[error("field {0} of a task is missing or malformed")]
    Field(&'static str),
    /// Bytes that are no message of the expected type.
    #[error("stored {what} cannot be decoded")]
    Protobuf {
        /// What was expected.
        what: &'static str,
        /// Why not.
        #[source]
        source: prost::DecodeError,
    },
    /// A sealed value that none of the keys opens, or that was altered.
    #[error("stored secrets cannot be opened: the key ring lacks their key, or they were altered")]
    Sealed,
    /// A length-prefixed value that ends too early.
    #[error("stored {0} is cut short")]
    Truncated(&'static str),
}

/// What is known of a task without its history and artifacts.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskHead {
    /// Its id.
    pub id: String,
    /// The tenant it was made with; empty without one.
    pub tenant: String,
    /// The principal it belongs to.
    pub owner: String,
    /// The context it belongs to.
    pub context: String,
    /// Raised by one with every change.
    pub revision: u64,
    /// Where it stands.
    pub state: State,
    /// Its status, as clients see it.
    pub status: TaskStatus,
    /// When the status last changed, ms since the epoch.
    pub status_at_ms: i64,
    /// The revision at which the status last changed.
    pub status_revision: u64,
    /// Metadata of the task.
    pub metadata: Option<Struct>,
    /// Messages in its history.
    pub messages: usize,
    /// Whether the agent lets a client cancel it at this stage.
    pub cancelable: bool,
    /// Only its agent sees it: it may still be answered with a message.
    pub provisional: bool,
    pub(crate) member: String,
}

/// A task as it stood at one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskView {
    /// All but history and artifacts.
    pub head: TaskHead,
    /// In the order accepted.
    pub history: Vec<Message>,
    /// In the order in which they first appeared.
    pub artifacts: Vec<Artifact>,
}

/// The three parts of a task as Redis returns them.
pub(crate) type RawTask = (HashMap<String, Vec<u8>>, Vec<Vec<u8>>, HashMap<String, Vec<u8>>);

impl TaskHead {
    /// What a decision needs to know.
    #[must_use]
    pub fn lifecycle(&self) -> transition::Task {
        transition::Task {
            state: self.state,
            revision: self.revision,
            status_at_ms: self.status_at_ms,
            context: self.context.clone(),
            history_len: self.messages,
            cancelable: self.cancelable,
        }
    }

    /// The task as clients see it, without history and artifacts.
    #[must_use]
    pub fn to_task(&self) -> Task {
        Task {
            id: self.id.clone(),
            context_id: self.context.clone(),
            status: Some(self.status.clone()),
            metadata: self.metadata.clone(),
            ..Task::default()
        }
    }

    pub(crate) fn decode(id: &str, fields: &HashMap<String, Vec<u8>>) -> Result<Self, CodecError> {
        let fields = Fields(fields);
        let state = fields.number("state")?;
        Ok(Self {
            id: id.to_owned(),
            tenant: fields.text("tenant")?,
            owner: fields.text("owner")?,
            context: fields.text("context")?,
            revision: fields.number("revision")?,
            state: State::from_number(state).ok_or(CodecError::Field("state"))?,
            status: protobuf("status", fields.bytes("status")?)?,
            status_at_ms: fields.number("status_at")?,
            status_revision: fields.number("status_revision")?,
            metadata: match fields.bytes("metadata")? {
                [] => None,
                bytes => Some(protobuf("metadata", bytes)?),
            },
            messages: fields.number("messages")?,
            cancelable: fields.number::<u8>("cancelable")? == 1,
            provisional: fields.0.contains_key("provisional"),
            member: fields.text("member")?,
        })
    }
}

impl TaskView {
    /// The task as clients see it, with at most `history_length` messages of
    /// history, the newest; without a limit all.
    #[must_use]
    pub fn into_task(mut self, history_length: Option<usize>) -> Task {
        let skipped = history_length.map_or(0, |most| self.history.len().saturating_sub(most));
        Task { history: self.history.split_off(skipped), artifacts: self.artifacts, ..self.head.to_task() }
    }

    pub(crate) fn decode(id: &str, raw: &RawTask) -> Result<Option<Self>, CodecError> {
        let (fields, history, artifacts) = raw;
        if fields.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            head: TaskHead::decode(id, fields)?,
            history: decode_history(history)?,
            artifacts: decode_artifacts(artifacts)?,
        }))
    }

    /// Reads what `snapshot` in `lua/snapshot.lua` wrote.
    pub fn from_snapshot(id: &str, framed: &[u8]) -> Result<Option<Self>, CodecError> {
        let parts = unframe(framed)?;
        let [fields, history, artifacts] = parts.as_slice() else {
            return Err(CodecError::Truncated("snapshot"));
        };
        let history = unframe(history)?.into_iter().map(<[u8]>::to_vec).collect();
        Self::decode(id, &(pairs(&unframe(fields)?)?, history, pairs(&unframe(artifacts)?)?))
    }
}

/// A message, or anything else of a revision, behind 8 bytes of that revision.
pub(crate) fn stamped(revision: u64, message: &impl prost::Message) -> Vec<u8> {
    let mut entry = revision.to_be_bytes().to_vec();
    message.encode_raw(&mut entry);
    entry
}

/// Takes apart what [`stamped`] made.
pub(crate) fn unstamp<'a>(what: &'static str, entry: &'a [u8]) -> Result<(u64, &'a [u8]), CodecError> {
    let (revision, message) = entry.split_first_chunk::<8>().ok_or(CodecError::Truncated(what))?;
    Ok((u64::from_be_bytes(*revision), message))
}

pub(crate) fn protobuf<M: prost::Message + Default>(
    what: &'static str,
    bytes: &[u8],
) -> Result<M, CodecError> {
    M::decode(bytes).map_err(|source| CodecError::Protobuf { what, source })
}

/// A status message is appended when the next one supersedes it, which may be
/// after later messages of the client: the revisions tell the order.
fn decode_history(entries: &[Vec<u8>]) -> Result<Vec<Message>, CodecError> {
    let mut history = entries
        .iter()
        .map(|entry| {
            let (revision, bytes) = unstamp("message", entry)?;
            Ok((revision, protobuf::<Message>("message", bytes)?))
        })
        .collect::<Result<Vec<_>, CodecError>>()?;
    history.sort_by_key(|(revision, _)| *revision);
    Ok(history.into_iter().map(|(_, message)| message).collect())
}

/// Chunks are joined as bytes: protobuf merges a field that comes again, so
/// parts follow parts and metadata is updated key by key.
fn decode_artifacts(fields: &HashMap<String, Vec<u8>>) -> Result<Vec<Artifact>, CodecError> {
    let mut chunks: BTreeMap<(u64, u64), &[u8]> = BTreeMap::new();
    for (field, chunk) in fields {
        if let Some((index, number)) = chunk_position(field) {
            chunks.insert((index, number), chunk);
        }
    }
    let mut joined: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for ((index, _), chunk) in chunks {
        joined.entry(index).or_default().extend_from_slice(chunk);
    }
    joined.into_values().map(|bytes| Ok(without_repeated_extensions(protobuf("artifact", &bytes)?))).collect()
}

fn chunk_position(field: &str) -> Option<(u64, u64)> {
    let (index, number) = field.split_once(':')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

/// Each chunk may name the artifact's extensions; they are one list.
fn without_repeated_extensions(mut artifact: Artifact) -> Artifact {
    let mut seen = Vec::new();
    artifact.extensions.retain(|uri| {
        let new = !seen.contains(uri);
        if new {
            seen.push(uri.clone());
        }
        new
    });
    artifact
}

fn unframe(mut framed: &[u8]) -> Result<Vec<&[u8]>, CodecError> {
    let mut strings = Vec::new();
    while !framed.is_empty() {
        let (len, rest) = framed.split_first_chunk::<4>().ok_or(CodecError::Truncated("frame"))?;
        let len = usize::try_from(u32::from_be_bytes(*len)).map_err(|_| CodecError::Truncated("frame"))?;
        let (string, rest) = rest.split_at_checked(len).ok_or(CodecError::Truncated("frame"))?;
        strings.push(string);
        framed = rest;
    }
    Ok(strings)
}

fn pairs(flat: &[&[u8]]) -> Result<HashMap<String, Vec<u8>>, CodecError> {
    flat.chunks(2)
        .map(|pair| match pair {
            [field, value] => Ok((String::from_utf8_lossy(field).into_owned(), value.to_vec())),
            _ => Err(CodecError::Truncated("fields")),
        })
        .collect()
}

/// The fields of a task's hash.
struct Fields<'a>(&'a HashMap<String, Vec<u8>>);

impl<'a> Fields<'a> {
    fn bytes(&self, name: &'static str) -> Result<&'a [u8], CodecError> {
        self.0.get(name).map(Vec::as_slice).ok_or(CodecError::Field(name))
    }

    fn text(&self, name: &'static str) -> Result<String, CodecError> {
        String::from_utf8(self.bytes(name)?.to_vec()).map_err(|_| CodecError::Field(name))
    }

    fn number<T: std::str::FromStr>(&self, name: &'static str) -> Result<T, CodecError> {
        self.text(name)?.parse().map_err(|_| CodecError::Field(name))
    }
}

#[cfg(test)]
mod tests {
    use a2a_proto::a2a::Part;
    use proptest::prelude::*;
    use prost::Message as _;

    use super::*;

    fn text(text: &str) -> Part {
        Part { content: Some(a2a_proto::a2a::part::Content::Text(text.into())), ..Part::default() }
    }

    fn message(id: &str) -> Message {
        Message { message_id: id.into(), parts: vec![text(id)], ..Message::default() }
    }

    #[test]
    fn history_is_in_the_order_accepted() {
        let entries =
            [stamped(1, &message("user")), stamped(4, &message("answer")), stamped(3, &message("question"))];
        let ids: Vec<_> = decode_history(&entries).unwrap().into_iter().map(|m| m.message_id).collect();
        assert_eq!(ids, ["user", "question", "answer"]);
    }

    #[test]
    fn chunks_become_one_artifact() {
        let chunk = |id: &str, part: &str| {
            Artifact {
                artifact_id: id.into(),
                parts: vec![text(part)],
                extensions: vec!["x".into()],
                ..Artifact::default()
            }
            .encode_to_vec()
        };
        let mut fields =
            HashMap::from([("count".to_owned(), b"2".to_vec()), ("index:a".to_owned(), b"1".to_vec())]);
        for n in 1..=12 {
            fields.insert(format!("1:{n}"), chunk("a", &n.to_string()));
        }
        fields.insert("2:1".into(), chunk("b", "only"));
        let artifacts = decode_artifacts(&fields).unwrap();
        assert_eq!(artifacts.len(), 2);
        assert_eq!(artifacts[0].parts, (1..=12).map(|n| text(&n.to_string())).collect::<Vec<_>>());
        assert_eq!(artifacts[0].extensions, ["x"]);
        assert_eq!(artifacts[1].artifact_id, "b");
    }

    proptest! {
        #[test]
        fn frames_round_trip(strings in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..8)) {
            let mut framed = Vec::new();
            for string in &strings {
                framed.extend_from_slice(&u32::try_from(string.len()).unwrap().to_be_bytes());
                framed.extend_from_slice(string);
            }
            prop_assert_eq!(unframe(&framed).unwrap(), strings);
        }

        #[test]
        fn no_bytes_make_a_snapshot_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = TaskView::from_snapshot("t", &bytes);
        }
    }
}
