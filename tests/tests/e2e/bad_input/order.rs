//! A call that is wrong in several ways is refused for the first of them:
//! version, extensions, capability, shape, existence, tenant, held state,
//! limits. Each pair is tried.

use std::io::Write as _;

use a2a_proto::a2a::{Message, SendMessageRequest, TaskState};
use a2a_tests::{
    clients::{self, A2aClient},
    process::{ServiceOptions, TaskService},
};
use tempfile::NamedTempFile;
use tonic::{Request, Status};

use crate::{moves::in_state, stage::Stage};

/// Declares neither streaming nor push, and requires an extension.
const CARD: &str = r#"{
    "name": "n", "description": "d", "version": "1", "skills": [{"id": "s", "name": "s", "description": "d",
    "tags": ["t"]}], "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "supportedInterfaces": [{"url": "u", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
    "capabilities": {"extensions": [{"uri": "urn:needed", "required": true}]}
}"#;

/// A way to be wrong, in the order in which they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    Version,
    Extension,
    Capability,
    Shape,
    Existence,
    Tenant,
    State,
    Context,
    Limit,
}

use Wrong::{Capability, Context, Existence, Extension, Limit, Shape, State, Tenant, Version};

const ALL: [Wrong; 9] = [Version, Extension, Capability, Shape, Existence, Tenant, State, Context, Limit];

struct Ids {
    /// A live task whose history is full.
    full: String,
    /// A task that has ended; its history is full, too.
    ended: String,
}

#[tokio::test]
async fn the_first_reason_counts() {
    let mut card = NamedTempFile::new().expect("a file");
    card.write_all(CARD.as_bytes()).expect("write");
    let mut stage = Stage::set().await;
    let ids = Ids {
        full: in_state(&mut stage, TaskState::Working).await.id,
        ended: in_state(&mut stage, TaskState::Completed).await.id,
    };
    let strict = ServiceOptions::default().flag("agent-card", card.path().display());
    let strict = TaskService::start(&stage.redis, strict.flag("max-history-messages", 1)).await;
    let mut client = clients::a2a(strict.at.grpc).await;
    for (index, first) in ALL.into_iter().enumerate() {
        check(&mut client, &ids, &[first]).await;
        for second in ALL.into_iter().skip(index + 1).filter(|second| can_both_be(first, *second)) {
            check(&mut client, &ids, &[first, second]).await;
        }
    }
}

/// A task that does not exist has neither tenant nor state.
fn can_both_be(first: Wrong, second: Wrong) -> bool {
    first != Existence || second < Existence
}

async fn check(client: &mut A2aClient, ids: &Ids, wrong: &[Wrong]) {
    let answer = client.send_message(request(ids, wrong)).await;
    let status = answer.map(|_| ()).expect_err("a refusal");
    assert_eq!(clients::reason(&status), reason_for(wrong[0], &status), "{wrong:?}: {status:?}");
}

fn reason_for(wrong: Wrong, status: &Status) -> &'static str {
    match wrong {
        Version => "VERSION_NOT_SUPPORTED",
        Extension => "EXTENSION_SUPPORT_REQUIRED",
        Capability => "PUSH_NOTIFICATION_NOT_SUPPORTED",
        Shape => {
            assert_eq!(clients::violations(status), ["message.role"]);
            "INVALID_ARGUMENT"
        }
        Existence | Tenant => "TASK_NOT_FOUND",
        State => "UNSUPPORTED_OPERATION",
        Context => "CONTEXT_MISMATCH",
        Limit => "RESOURCE_EXHAUSTED",
    }
}

/// A request that is wrong in these ways and in no other.
fn request(ids: &Ids, wrong: &[Wrong]) -> Request<SendMessageRequest> {
    let is = |way| wrong.contains(&way);
    let task_id = match (is(Existence), is(State)) {
        (true, _) => "nobody".to_owned(),
        (_, true) => ids.ended.clone(),
        _ => ids.full.clone(),
    };
    let message = Message {
        task_id,
        role: if is(Shape) { 0 } else { 1 },
        context_id: if is(Context) { "elsewhere".to_owned() } else { String::new() },
        ..clients::user_text("hello")
    };
    let mut body = SendMessageRequest { message: Some(message), ..clients::send_and_return("") };
    if is(Tenant) {
        body.tenant = "another".to_owned();
    }
    if is(Capability) {
        body = clients::with_push(body, clients::push_config("c", "https://example.com/"));
    }
    let mut request = Request::new(body);
    if is(Version) {
        request.metadata_mut().insert("a2a-version", "0.3".parse().expect("ASCII"));
    }
    if !is(Extension) {
        request.metadata_mut().insert("a2a-extensions", "urn:needed".parse().expect("ASCII"));
    }
    request
}
