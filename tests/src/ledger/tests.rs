use std::time::Duration;

use a2a_proto::{a2a::StreamResponse, json};
use http::{HeaderMap, Method};

use super::*;

#[test]
fn retries_and_duplicates_are_no_fault() {
    let got = [got(&task(), "w1", 1, 500), got(&task(), "w1", 1, 200), got(&status("WORKING"), "w2", 2, 200)];
    let again = got[2].clone();
    let summary = books().check(&[&got[..], &[again]].concat()).unwrap();
    assert_eq!(summary, Summary { lanes: 1, events: 2, requests: 4, duplicates: 1 });
    assert_eq!(summary.to_string(), "2 events to 1 lanes, 0 lost, in order, 4 requests, 1 duplicates");
}

#[test]
fn a_refused_event_is_lost() {
    let got = [got(&task(), "w1", 1, 200), got(&status("WORKING"), "w2", 2, 500)];
    assert_faults(&got, &[r#"task "t" to "c": lost number 2: {"statusUpdate""#]);
}

#[test]
fn an_overtaking_event_is_named() {
    let got = [got(&status("WORKING"), "w2", 2, 200), got(&task(), "w1", 1, 200)];
    assert_faults(&got, &["number 1 came after number 2: webhook-id \"w1\""]);
}

#[test]
fn an_event_under_two_ids_is_surplus() {
    let got = [
        got(&task(), "w1", 1, 200),
        got(&status("WORKING"), "w2", 2, 200),
        got(&status("WORKING"), "w3", 2, 200),
    ];
    assert_faults(&got, &["not owed: webhook-id \"w3\", sequence Some(2)"]);
}

#[test]
fn events_of_other_lanes_and_bodies_that_are_none_show() {
    let mut strange = got(&task(), "w9", 1, 200);
    strange.path = "/hooks/d".into();
    let mut broken = got(&task(), "w8", 1, 500);
    broken.event = Err("no JSON".into());
    let got = [got(&task(), "w1", 1, 200), got(&status("WORKING"), "w2", 2, 200), strange, broken];
    assert_faults(&got, &[r#"task "" to "c": a body is no event"#, r#"task "t" to "d": not owed"#]);
}

#[test]
fn revisions_may_be_owed() {
    let mut ledger = Ledger::default();
    ledger.owe("t", "c", [Owed::Snapshot, Owed::Revision(2)]);
    ledger.assert_delivered(&[got(&task(), "w1", 1, 200), got(&status("WORKING"), "w2", 2, 200)]);
    assert!(ledger.check(&[got(&task(), "w1", 1, 200), got(&status("WORKING"), "w2", 3, 200)]).is_err());
}

fn books() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.owe("t", "c", [Owed::Snapshot, Owed::Event(status("WORKING").into())]);
    ledger
}

fn assert_faults(got: &[Recorded], expected: &[&str]) {
    let difference = books().check(got).unwrap_err();
    let lines: Vec<&str> = difference.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{difference}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.contains(expected), "{line}");
    }
}

fn task() -> StreamResponse {
    event(r#"{"task":{"id":"t","contextId":"x","status":{"state":"TASK_STATE_SUBMITTED"}}}"#)
}

fn status(state: &str) -> StreamResponse {
    event(&format!(
        r#"{{"statusUpdate":{{"taskId":"t","contextId":"x","status":{{"state":"TASK_STATE_{state}"}}}}}}"#
    ))
}

fn event(json: &str) -> StreamResponse {
    json::from_slice(json.as_bytes()).unwrap()
}

fn got(event: &StreamResponse, webhook_id: &str, sequence: i64, status: u16) -> Recorded {
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", webhook_id.parse().unwrap());
    headers.insert("a2a-event-sequence", sequence.into());
    Recorded {
        at: Duration::ZERO,
        connection: 0,
        method: Method::POST,
        path: "/hooks/c".into(),
        headers,
        body: json::to_vec(event).unwrap().into(),
        event: Ok(event.clone()),
        answered: Some(status),
    }
}
