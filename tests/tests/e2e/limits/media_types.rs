//! The media types of the card and of its skills.

use std::io::Write as _;

use a2a_proto::a2a::{Message, Part, part::Content};
use a2a_tests::{clients, process::ServiceOptions};
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    calls::{at_once, list, message_of, to_task},
    stage::Stage,
};

async fn taking(default_modes: &[&str], skill_modes: &[&str]) -> Stage {
    let card = json!({
        "name": "An agent",
        "description": "Made for a test",
        "version": "1",
        "supportedInterfaces": [{"url": "x", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": true},
        "defaultInputModes": default_modes,
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "S", "description": "Does s", "tags": ["s"], "inputModes": skill_modes}],
    });
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(card.to_string().as_bytes()).expect("write a card");
    Stage::set_with(ServiceOptions::default().flag("agent-card", file.path().display())).await
}

fn typed(media_type: &str) -> Part {
    Part { media_type: media_type.to_owned(), ..clients::text_part("x") }
}

fn with_parts(parts: Vec<Part>) -> Message {
    Message { parts, ..clients::user_text("") }
}

#[track_caller]
fn assert_foreign(refused: &Status, field: &str) {
    let said = (refused.code(), clients::reason(refused), clients::violations(refused));
    assert_eq!(
        said,
        (Code::InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED".to_owned(), vec![field.to_owned()])
    );
}

#[tokio::test]
async fn those_of_the_card_and_its_skills_are_taken_and_no_others() {
    type Names = &'static [&'static str];
    let cases: [(Names, Names, Names, Names); 4] = [
        (
            &["text/plain"],
            &[],
            &["", "text/plain", "TEXT/PLAIN", "text/plain; charset=utf-8", " text/plain "],
            &["text/html", "text", "text/plainer", "application/json", "text/*"],
        ),
        (&["image/*"], &[], &["image/png", "Image/SVG+xml;q=1"], &["images/png", "text/plain", "image"]),
        (
            &["text/plain"],
            &["application/json", "audio/*"],
            &["text/plain", "application/json", "audio/ogg"],
            &["application/json-seq", "video/ogg"],
        ),
        (&["*/*"], &[], &["text/plain", "x/y", "application/vnd.acme+json"], &[]),
    ];
    for (default_modes, skill_modes, taken, refused) in cases {
        let mut stage = taking(default_modes, skill_modes).await;
        for media_type in taken {
            let request = at_once(message_of("", with_parts(vec![typed(media_type)])));
            stage.client.send_message(request).await.unwrap_or_else(|e| panic!("{media_type}: {e:?}"));
        }
        let count = i32::try_from(taken.len()).unwrap();
        for media_type in refused {
            let request = at_once(message_of("", with_parts(vec![typed(""), typed(media_type)])));
            let refused = stage.client.send_message(request).await.expect_err(media_type);
            assert_foreign(&refused, "message.parts[1].mediaType");
        }
        assert_eq!(stage.client.list_tasks(list("")).await.unwrap().into_inner().total_size, count);
    }
}

#[tokio::test]
async fn every_kind_of_part_and_every_send_is_held_to_them() {
    let mut stage = taking(&["text/plain"], &[]).await;
    let task = stage.working("hello").await;
    let contents = [
        Content::Text("x".to_owned()),
        Content::Raw(vec![0].into()),
        Content::Url("https://example.com/x".to_owned()),
        Content::Data(prost_types::Value { kind: Some(prost_types::value::Kind::BoolValue(true)) }),
    ];
    for content in contents {
        let part = Part { content: Some(content), media_type: "image/png".to_owned(), ..Part::default() };
        let mut request = to_task(&task.id, "");
        request.message.as_mut().unwrap().parts = vec![part];
        let refused = stage.client.send_message(request.clone()).await.unwrap_err();
        assert_foreign(&refused, "message.parts[0].mediaType");
        let refused = stage.client.send_streaming_message(request).await.unwrap_err();
        assert_foreign(&refused, "message.parts[0].mediaType");
    }
}

#[tokio::test]
async fn bad_fields_come_first() {
    let mut stage = taking(&["text/plain"], &[]).await;
    let mut request = message_of("", with_parts(vec![typed("image/png"), Part::default()]));
    request.message.as_mut().unwrap().message_id.clear();
    let refused = stage.client.send_message(request).await.unwrap_err();
    crate::calls::assert_refused(&refused, Code::InvalidArgument, "INVALID_ARGUMENT");
}
