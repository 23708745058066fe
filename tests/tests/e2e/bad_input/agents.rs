//! The agents' door.

use a2a_proto::{
    a2a::{Artifact, Message, Part, Role, Task},
    agent::{
        ExtendLeaseRequest, HeldLease, ListAllPushNotificationConfigsRequest, ListAllTasksRequest,
        ReceiveWorkRequest, ReleaseWorkRequest, TransitionRequest, UpdateArtifactRequest,
    },
};
use a2a_tests::clients::{agent_text, text_artifact};
use tonic::Code;

use super::{
    Prepared, Row, malformed, not_found, refused,
    values::{CONTROLS, bad_metadata, bad_values, data, long, nan},
};
use crate::{moves::Move, stage::transition};

const ALL: [Move; 7] = [
    Move::StartWorking,
    Move::RequireInput,
    Move::RequireAuth,
    Move::Complete,
    Move::Fail,
    Move::Reject,
    Move::Progress,
];

#[tokio::test]
async fn moves() {
    let prepared = Prepared::set().await;
    let mut rows: Vec<Row> = Vec::new();
    for step in ALL {
        rows.extend(malformed_moves(&prepared, step));
        rows.extend(refused_moves(&prepared, step));
    }
    prepared.check(rows).await;
}

#[tokio::test]
async fn artifacts() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |artifact| UpdateArtifactRequest {
        id: prepared.live.id.clone(),
        artifact,
        ..UpdateArtifactRequest::default()
    };
    let good = of(Some(text_artifact("a", "x")));
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: &str, request: UpdateArtifactRequest, field| {
        rows.push(malformed(name, callers.artifact(request.clone()), &[field]));
        rows.push(malformed(format!("{name}, in a stream"), callers.artifacts(vec![request]), &[field]));
    };
    add("no id", UpdateArtifactRequest { id: String::new(), ..good.clone() }, "id");
    add("no artifact", of(None), "artifact");
    add("no artifact id", of(Some(text_artifact("", "x"))), "artifact.artifactId");
    add("a long id", of(Some(text_artifact(&long(), "x"))), "artifact.artifactId");
    add("a control character", of(Some(text_artifact(CONTROLS[1], "x"))), "artifact.artifactId");
    let parts = |parts| of(Some(Artifact { artifact_id: "a".into(), parts, ..Artifact::default() }));
    add("no parts", parts(vec![]), "artifact.parts");
    add("a part without content", parts(vec![Part::default()]), "artifact.parts[0]");
    for (name, value) in bad_values() {
        add(name, parts(vec![data(value)]), "artifact.parts[0].data");
    }
    for (name, metadata) in bad_metadata() {
        let of_artifact = Artifact { metadata: Some(metadata.clone()), ..text_artifact("a", "x") };
        add(name, of(Some(of_artifact)), "artifact.metadata");
        add(name, UpdateArtifactRequest { metadata: Some(metadata), ..good.clone() }, "metadata");
    }
    add(
        "a negative revision",
        UpdateArtifactRequest { expected_revision: Some(-1), ..good.clone() },
        "expectedRevision",
    );
    let nobody = UpdateArtifactRequest { id: "nobody".into(), ..good.clone() };
    rows.push(not_found("no such task", callers.artifact(nobody)));
    let stale = UpdateArtifactRequest { expected_revision: Some(1), ..good.clone() };
    rows.push(refused("stale", callers.artifact(stale), Code::Aborted, "REVISION_MISMATCH"));
    let stolen = UpdateArtifactRequest { lease_token: "stolen".into(), ..good.clone() };
    rows.push(refused("no lease", callers.artifact(stolen), Code::FailedPrecondition, "LEASE_LOST"));
    let late = UpdateArtifactRequest { id: prepared.finished.id.clone(), ..good };
    rows.push(refused("late", callers.artifact(late), Code::FailedPrecondition, "TASK_STATE_CONFLICT"));
    prepared.check(rows).await;
}

#[tokio::test]
async fn leases() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let extend = |id: &str, token: &str| {
        callers.extend(ExtendLeaseRequest { id: id.into(), lease_token: token.into() })
    };
    let release = |id: &str, token: &str| {
        let request = ReleaseWorkRequest { id: id.into(), lease_token: token.into(), finished: true };
        callers.release(request)
    };
    let receive = |max_leases, held: Vec<HeldLease>| {
        callers.receive(ReceiveWorkRequest { max_leases, held, ..ReceiveWorkRequest::default() })
    };
    let live = prepared.live.id.as_str();
    let lost = |name, call| refused(name, call, Code::FailedPrecondition, "LEASE_LOST");
    prepared
        .check(vec![
            malformed("extend: no id", extend("", "x"), &["id"]),
            malformed("extend: no token", extend(live, ""), &["leaseToken"]),
            not_found("extend: no such task", extend("nobody", "x")),
            lost("extend: not held", extend(live, "x")),
            malformed("release: no id", release("", "x"), &["id"]),
            malformed("release: no token", release(live, ""), &["leaseToken"]),
            not_found("release: no such task", release("nobody", "x")),
            lost("release: not held", release(live, "x")),
            malformed("receive: negative leases", receive(-1, vec![]), &["maxLeases"]),
            malformed("receive: a lease of nothing", receive(0, vec![HeldLease::default()]), &["held[0].id"]),
        ])
        .await;
}

#[tokio::test]
async fn views() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let mut rows: Vec<Row> = Vec::new();
    for size in [0, -1, 101] {
        let tasks = ListAllTasksRequest { page_size: Some(size), ..ListAllTasksRequest::default() };
        rows.push(malformed(format!("tasks {size}"), callers.all_tasks(tasks), &["pageSize"]));
        let pushes = ListAllPushNotificationConfigsRequest {
            page_size: Some(size),
            ..ListAllPushNotificationConfigsRequest::default()
        };
        rows.push(malformed(format!("pushes {size}"), callers.all_pushes(pushes), &["pageSize"]));
    }
    for token in ["x", "é", "bnVsbA"] {
        let tasks = ListAllTasksRequest { page_token: token.into(), ..ListAllTasksRequest::default() };
        rows.push(malformed(format!("tasks {token}"), callers.all_tasks(tasks), &["pageToken"]));
        let pushes = ListAllPushNotificationConfigsRequest {
            page_token: token.into(),
            ..ListAllPushNotificationConfigsRequest::default()
        };
        rows.push(malformed(format!("pushes {token}"), callers.all_pushes(pushes), &["pageToken"]));
    }
    prepared.check(rows).await;
}

fn malformed_moves(prepared: &Prepared, step: Move) -> Vec<Row> {
    let saying = |message| TransitionRequest { status_message: Some(message), ..transition(&prepared.live) };
    let good = agent_text("hello");
    let with = |metadata| TransitionRequest { metadata: Some(metadata), ..transition(&prepared.live) };
    let callers = prepared.callers();
    [
        ("an empty request", TransitionRequest::default(), "id"),
        (
            "a user's message",
            saying(Message { role: Role::User.into(), ..good.clone() }),
            "statusMessage.role",
        ),
        ("no parts", saying(Message { parts: vec![], ..good.clone() }), "statusMessage.parts"),
        (
            "no content",
            saying(Message { parts: vec![Part::default()], ..good.clone() }),
            "statusMessage.parts[0]",
        ),
        (
            "another task's",
            saying(Message { task_id: "another".into(), ..good.clone() }),
            "statusMessage.taskId",
        ),
        ("a long id", saying(Message { message_id: long(), ..good.clone() }), "statusMessage.messageId"),
        ("NaN in the message", saying(Message { metadata: Some(nan()), ..good }), "statusMessage.metadata"),
        ("NaN", with(nan()), "metadata"),
        (
            "a negative revision",
            TransitionRequest { expected_revision: Some(-1), ..transition(&prepared.live) },
            "expectedRevision",
        ),
    ]
    .into_iter()
    .map(|(name, request, field)| {
        malformed(format!("{step:?}: {name}"), callers.step(step, request), &[field])
    })
    .collect()
}

fn refused_moves(prepared: &Prepared, step: Move) -> Vec<Row> {
    let callers = prepared.callers();
    // A task from which the move starts.
    let (task, revision) = match step {
        Move::StartWorking => (&prepared.interrupted, 2),
        _ => (&prepared.live, 2),
    };
    let ask = |request| callers.step(step, request);
    let at = |revision| TransitionRequest { expected_revision: Some(revision), ..transition(task) };
    let (conflict, lost) = ("TASK_STATE_CONFLICT", "LEASE_LOST");
    let stolen = TransitionRequest { lease_token: "stolen".into(), ..transition(task) };
    let nobody = Task { id: "nobody".into(), ..Task::default() };
    vec![
        not_found(format!("{step:?}: no such task"), ask(transition(&nobody))),
        refused(format!("{step:?}: stale"), ask(at(revision - 1)), Code::Aborted, "REVISION_MISMATCH"),
        refused(format!("{step:?}: early"), ask(at(revision + 1)), Code::Aborted, "REVISION_MISMATCH"),
        refused(format!("{step:?}: no lease"), ask(stolen), Code::FailedPrecondition, lost),
        refused(
            format!("{step:?}: too late"),
            ask(transition(&prepared.finished)),
            Code::FailedPrecondition,
            conflict,
        ),
    ]
}
