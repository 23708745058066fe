use std::{error::Error, io};

use reqwest::{Client, Response};

use super::*;

const DEADLINE: Duration = Duration::from_secs(10);
const EVENT: &str =
    r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;

#[tokio::test]
async fn requests_are_recorded_as_they_arrive() {
    let receiver = WebhookReceiver::start(Behaviour::Accept).await;
    post(&receiver, "/c1", "w1").await.unwrap();
    post(&receiver, "/c2", "w2").await.unwrap();
    let recorded = receiver.await_events(2, DEADLINE).await;
    let first = &recorded[0];
    assert_eq!((first.path.as_str(), first.webhook_id(), first.task_id()), ("/c1", "w1", "t"));
    assert_eq!(
        (first.method.as_str(), &first.body[..], first.answered),
        ("POST", EVENT.as_bytes(), Some(200))
    );
    assert_eq!((receiver.connections(), receiver.most_at_once()), (2, 1));
    assert!(recorded[0].at <= recorded[1].at);
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let receiver = WebhookReceiver::start(Behaviour::Accept).await;
    let client = Client::new();
    for _ in 0..3 {
        client.post(receiver.url("/c")).body("no event").send().await.unwrap().bytes().await.unwrap();
    }
    assert_eq!((receiver.connections(), receiver.recorded().len()), (1, 3));
    assert!(receiver.recorded()[2].event.is_err());
}

#[tokio::test]
async fn paths_answer_as_told() {
    let receiver = WebhookReceiver::start(Behaviour::Status(404)).await;
    let retry_after = vec![("retry-after".to_owned(), "7".to_owned())];
    receiver.on("/busy", Behaviour::StatusWith(429, retry_after));
    receiver.on("/moved", Behaviour::Redirect("http://127.0.0.1/elsewhere".into()));
    let busy = post(&receiver, "/busy", "w").await.unwrap();
    let moved = post(&receiver, "/moved", "w").await.unwrap();
    assert_eq!((busy.status().as_u16(), &busy.headers()["retry-after"]), (429, &"7".parse().unwrap()));
    assert_eq!((moved.status().as_u16(), moved.headers()["location"].len()), (307, 26));
    assert_eq!(post(&receiver, "/other", "w").await.unwrap().status().as_u16(), 404);
    receiver.otherwise(Behaviour::Accept);
    assert_eq!(post(&receiver, "/other", "w").await.unwrap().status().as_u16(), 200);
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let receiver = WebhookReceiver::start(Behaviour::Reset).await;
    let error = post(&receiver, "/c", "w").await.unwrap_err();
    let kinds = std::iter::successors(Some(&error as &dyn Error), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .map(io::Error::kind)
        .collect::<Vec<_>>();
    assert_eq!(kinds, [io::ErrorKind::ConnectionReset]);
    assert_eq!(receiver.recorded()[0].answered, None);
}

#[tokio::test]
async fn a_hang_lasts_until_the_client_leaves() {
    let receiver = WebhookReceiver::start(Behaviour::Hang).await;
    let answer = tokio::time::timeout(Duration::from_millis(100), post(&receiver, "/c", "w")).await;
    assert!(answer.is_err());
    assert_eq!(receiver.await_count(1, DEADLINE).await[0].answered, None);
}

#[tokio::test]
async fn a_gate_holds_requests_and_counts_them() {
    let gate = Gate::closed();
    let receiver = WebhookReceiver::start(Behaviour::Hold(gate.clone())).await;
    let observe = async {
        let held = receiver.await_count(2, DEADLINE).await;
        assert!(held.iter().all(|request| request.answered.is_none()));
        gate.open();
    };
    let (a, b, ()) = tokio::join!(post(&receiver, "/a", "w"), post(&receiver, "/b", "x"), observe);
    assert!(a.unwrap().status().is_success() && b.unwrap().status().is_success());
    assert_eq!((receiver.most_at_once(), receiver.most_at_once_on("/a")), (2, 1));
}

#[tokio::test]
async fn a_delay_is_kept() {
    let delay = Duration::from_millis(50);
    let receiver = WebhookReceiver::start(Behaviour::Delay(delay)).await;
    let early = tokio::time::timeout(delay / 2, post(&receiver, "/c", "w")).await;
    assert!(early.is_err());
    assert!(post(&receiver, "/c", "w").await.unwrap().status().is_success());
}

#[tokio::test]
async fn a_dripping_body_follows_its_status() {
    let receiver = WebhookReceiver::start(Behaviour::Drip(Duration::from_millis(5))).await;
    let mut response = post(&receiver, "/c", "w").await.unwrap();
    assert!(response.status().is_success());
    for _ in 0..3 {
        assert!(response.chunk().await.unwrap().is_some());
    }
}

#[tokio::test]
#[should_panic(expected = "1 accepted events: not within 20ms, after 1 requests, 0 successes, 0 events")]
async fn a_wait_in_vain_says_what_there_was() {
    let receiver = WebhookReceiver::start(Behaviour::Status(500)).await;
    post(&receiver, "/c", "w").await.unwrap();
    receiver.await_events(1, Duration::from_millis(20)).await;
}

async fn post(receiver: &WebhookReceiver, path: &str, webhook_id: &str) -> reqwest::Result<Response> {
    let client = Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
    client.post(receiver.url(path)).header("webhook-id", webhook_id).body(EVENT).send().await
}
