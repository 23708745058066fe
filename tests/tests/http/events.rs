//! Streams of any door: gRPC's own, and server-sent events read strictly.

use a2a_proto::a2a::{StreamResponse, TaskState, stream_response::Payload};
use bytes::{Bytes, BytesMut};
use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;
use tonic::Streaming;

use crate::{driver::from_value, refused::Refused, stage::SOON};

/// An item, and the id that SSE gave it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<u64>,
    pub(crate) response: StreamResponse,
}

/// A stream behind one door.
pub(crate) enum Events {
    Grpc(Streaming<StreamResponse>),
    Sse { reader: SseReader, json_rpc: bool },
}

impl Events {
    pub(crate) fn grpc(stream: Streaming<StreamResponse>) -> Self {
        Self::Grpc(stream)
    }

    pub(crate) fn sse(response: Response, json_rpc: bool) -> Self {
        Self::Sse { reader: SseReader::new(response), json_rpc }
    }

    /// The next item; `None` at the orderly end.
    pub(crate) async fn next(&mut self) -> Option<Result<Event, Refused>> {
        match self {
            Self::Grpc(stream) => {
                let next = timeout(SOON, stream.message()).await.expect("an item in time");
                let next = next.map_err(|status| Refused::from_status(&status)).transpose()?;
                Some(next.map(|response| Event { id: None, response }))
            }
            Self::Sse { reader, json_rpc } => {
                let Frame { id, data } = reader.next_event().await?;
                Some(read(&data, *json_rpc).map(|response| Event { id, response }))
            }
        }
    }

    /// The next item, which must be there.
    pub(crate) async fn item(&mut self) -> StreamResponse {
        self.next().await.expect("an item before the end").expect("no error").response
    }
}

/// What an item is, in one word.
pub(crate) fn gist(item: &StreamResponse) -> String {
    let state = |status: Option<&a2a_proto::a2a::TaskStatus>| {
        status.map_or(TaskState::Unspecified, a2a_proto::a2a::TaskStatus::state).as_str_name()
    };
    let state = |status| state(status).trim_start_matches("TASK_STATE_").to_owned();
    match item.payload.as_ref().expect("a payload") {
        Payload::Task(task) => format!("task {}", state(task.status.as_ref())),
        Payload::StatusUpdate(update) => state(update.status.as_ref()),
        Payload::ArtifactUpdate(_) => "artifact".to_owned(),
        Payload::Message(_) => "message".to_owned(),
    }
}

fn read(data: &str, json_rpc: bool) -> Result<StreamResponse, Refused> {
    if json_rpc {
        return Refused::from_json_rpc(data).map(from_value);
    }
    let value: Value = serde_json::from_str(data).expect("JSON in data");
    match value.get("error") {
        Some(error) => {
            let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            Err(Refused::from_rest(status.expect("a status"), data).expect_err("an error"))
        }
        None => Ok(from_value(value)),
    }
}

/// An event of SSE; comments are frames without data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) id: Option<u64>,
    pub(crate) data: String,
}

/// Reads server-sent events, a block at a time.
pub(crate) struct SseReader {
    response: Response,
    read: BytesMut,
}

impl SseReader {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, read: BytesMut::new() }
    }

    /// The lines up to the next empty one.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.windows(2).position(|two| two == b"\n\n") {
                let block = self.read.split_to(end + 2);
                return Some(String::from_utf8(block[..end].to_vec()).expect("UTF-8"));
            }
            let chunk: Option<Bytes> =
                timeout(SOON, self.response.chunk()).await.expect("bytes in time").expect("no broken body");
            match chunk {
                Some(bytes) => self.read.extend_from_slice(&bytes),
                None => {
                    assert!(self.read.is_empty(), "half an event: {:?}", self.read);
                    return None;
                }
            }
        }
    }

    async fn next_event(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = frame(&self.block().await?) {
                return Some(frame);
            }
        }
    }
}

/// `None` for a comment.
fn frame(block: &str) -> Option<Frame> {
    let mut id = None;
    let mut data = None;
    for line in block.lines() {
        match line.split_once(':').expect("a field or a comment") {
            ("", _) => {}
            ("id", value) => id = value.trim().parse().ok(),
            ("data", value) => {
                assert!(data.is_none(), "a document on two lines: {block}");
                data = Some(value.trim_start().to_owned());
            }
            (field, _) => panic!("an unexpected field {field} in {block}"),
        }
    }
    data.map(|data| Frame { id, data })
}
