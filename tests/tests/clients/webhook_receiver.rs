//! What the dispatcher posts, as a strict receiver with the SDK's types takes it.

use a2a_tests::{
    clients,
    process::{Dispatcher, Service, ServiceOptions},
};

use crate::{python::Script, stage::Stage};

const EVENTS: [&str; 6] = [
    "task SUBMITTED",
    "status_update WORKING",
    "artifact_update You wrote: ",
    "artifact_update hello",
    "artifact_update .",
    "status_update COMPLETED",
];

#[tokio::test]
async fn every_notification_is_exactly_as_it_should_be() {
    let mut stage = Stage::set().await;
    let _dispatcher: Dispatcher = Service::start(&stage.redis, ServiceOptions::default()).await;
    let mut receiver = Script::start("webhook_receiver.py", &["the token", "the credentials"]);
    let config = clients::secret_push_config("a", &receiver.line().await, "the token", "the credentials");
    stage.send(clients::with_push(clients::send("hello"), config)).await;
    assert_eq!(receiver.finish().await[1..], EVENTS);
}

/// The receiver itself: what it lets pass proves nothing otherwise.
#[tokio::test]
async fn any_flaw_is_noticed() {
    let body = r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}"#;
    let task = r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let content_type = ("content-type", "application/a2a+json");
    assert!(!ends_on(task, &[content_type]).await);
    for (body, headers) in [
        (body, &[content_type][..]),
        (task, &[]),
        (task, &[content_type, ("authorization", "Bearer none")]),
        (task, &[content_type, ("a2a-notification-token", "none")]),
        (r#"{"task":{"id":"t","extra":1}}"#, &[content_type]),
        (r#"{"task":{"id":"t"}, "extra":1}"#, &[content_type]),
        (r#"{"task": {"id":"t"}}"#, &[content_type]),
        (r#"{"task":{"id":"t","contextId":""}}"#, &[content_type]),
        ("{}", &[content_type]),
        ("", &[content_type]),
    ] {
        assert!(ends_on(body, headers).await, "{body} with {headers:?}");
    }
}

#[tokio::test]
async fn without_secrets_none_are_shown() {
    let mut stage = Stage::set().await;
    let _dispatcher: Dispatcher = Service::start(&stage.redis, ServiceOptions::default()).await;
    let mut receiver = Script::start("webhook_receiver.py", &["", ""]);
    let config = clients::push_config("a", &receiver.line().await);
    stage.send(clients::with_push(clients::send("hello"), config)).await;
    assert_eq!(receiver.finish().await[1..], EVENTS);
}

/// Whether a receiver that expects no secrets ends with an error.
async fn ends_on(body: &'static str, headers: &[(&str, &str)]) -> bool {
    let mut receiver = Script::start("webhook_receiver.py", &["", ""]);
    let url = receiver.line().await;
    let mut request =
        reqwest::Client::new().post(url).header("webhook-id", "w").header("a2a-event-sequence", 1);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let status = request.body(body).send().await.expect("an answer").status();
    !status.is_success()
}
