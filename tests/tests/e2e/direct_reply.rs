//! ReplyWithMessage: an answer in place of a task, heard once and kept for those
//! who did not hear it.

use a2a_proto::{
    a2a::{Message, SendMessageResponse, Task, send_message_response::Payload},
    agent::{ReplyWithMessageRequest, WorkItem},
};
use a2a_tests::{
    clients::{self, A2aClient, AgentClient},
    process::{Dispatcher, ServiceOptions},
    receiver::{Behaviour, WebhookReceiver},
    redis::{RedisOptions, RedisServer},
    until,
};
use tokio::task::JoinHandle;
use tonic::{Code, Request, Response, Status};

use crate::{
    calls::{
        assert_bad_field, assert_not_found, assert_refused, at_once, get, keyed, list, put, recorded, saying,
    },
    inspect::{fingerprint, held_leases, keys_with},
    moves::Move,
    stage::{Replica, SOON, Stage, all, gist, next, state, text, transition},
};

fn deciding() -> ServiceOptions {
    // No test is so slow that an immediate send gives up on the agent.
    waiting_ms(60_000)
}

fn waiting_ms(wait_ms: u64) -> ServiceOptions {
    ServiceOptions::default().flag("task-creation", "agent-decides").flag("direct-reply-wait-ms", wait_ms)
}

#[tokio::test]
async fn nothing_but_the_reply_remains() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let request =
        clients::with_push(clients::send("hello"), clients::push_config("one", "http://127.0.0.1:9/hook"));
    let answer = sending(&stage.client, Request::new(request));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    assert_eq!(said(&message(answer.await.unwrap())), "hello yourself");
    let keys = keys_with(&stage.redis, &proposed.id).await;
    assert!(matches!(keys.as_slice(), [only] if only.contains("reply")), "{keys:?}");
    assert_eq!(keys_with(&stage.redis, "due:work").await, [""; 0]);
    assert_eq!(held_leases(&stage.redis).await, [""; 0]);
    assert_eq!(keys_with(&stage.redis, "index:").await, [""; 0]);
    assert_no_task(&mut stage.client, &proposed).await;
}

#[tokio::test]
async fn every_move_makes_the_task() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(16).await;
    let steps =
        [Move::StartWorking, Move::RequireInput, Move::RequireAuth, Move::Complete, Move::Fail, Move::Reject];
    for step in steps {
        let events = stage.client.send_streaming_message(clients::send("hello")).await.unwrap().into_inner();
        let proposed = next(&mut work).await.task.unwrap();
        let moved = step.ask(&mut stage.agent, transition(&proposed)).await.unwrap().into_inner();
        if step == Move::StartWorking || step == Move::RequireAuth {
            stage.agent.complete_task(transition(&proposed)).await.unwrap();
        }
        let seen: Vec<_> = all(events).await.iter().map(gist).collect();
        assert_eq!(seen[..2], ["task TASK_STATE_SUBMITTED", state(&moved)], "{step:?}");
        stage.client.get_task(get(&proposed.id)).await.expect("a task");
    }
    let listed = stage.client.list_tasks(list("")).await.unwrap().into_inner();
    assert_eq!(listed.total_size, i32::try_from(steps.len()).unwrap());
}

#[tokio::test]
async fn an_artifact_makes_the_task() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let events = stage.client.send_streaming_message(clients::send("hello")).await.unwrap().into_inner();
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.update_artifact(put(&proposed, "a", "1")).await.unwrap();
    stage.agent.complete_task(transition(&proposed)).await.unwrap();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["task TASK_STATE_SUBMITTED", "artifact 1", "TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn the_revision_that_a_worker_was_told_is_good_for_its_first_move() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let item = next(&mut work).await;
    let mut complete = transition(item.task.as_ref().unwrap());
    complete.expected_revision = Some(item.revision);
    stage.agent.complete_task(complete).await.expect("complete");
    assert!(matches!(answer.await.unwrap().unwrap().into_inner().payload, Some(Payload::Task(_))));
}

#[tokio::test]
async fn a_refused_move_makes_no_task() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let proposed = next(&mut work).await.task.unwrap();
    let before = fingerprint(&stage.redis).await;
    let refused = stage.agent.report_progress(transition(&proposed)).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "TASK_STATE_CONFLICT");
    let mut nameless = saying(&proposed, "hello");
    nameless.status_message.as_mut().unwrap().parts.clear();
    let refused = stage.agent.complete_task(nameless).await.unwrap_err();
    assert_bad_field(&refused, "statusMessage.parts");
    let mut stale = transition(&proposed);
    stale.lease_token = "another's".to_owned();
    let refused = stage.agent.complete_task(stale).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "LEASE_LOST");
    let mut stale = put(&proposed, "a", "1");
    stale.lease_token = "another's".to_owned();
    let refused = stage.agent.update_artifact(stale).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "LEASE_LOST");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    assert_eq!(said(&message(answer.await.unwrap())), "hello yourself");
}

#[tokio::test]
async fn a_reply_that_nobody_heard_is_kept_for_the_retry() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut other = Replica::start(&stage.redis, waiting_ms(0)).await;
    let mut work = worker(&mut other.agent).await;
    let request = at_once(clients::send("hello"));
    let unheard = sending(&stage.client, keyed("k", request.clone()));
    let proposed = next(&mut work).await.task.unwrap();
    stage.service.kill().await;
    unheard.await.unwrap().unwrap_err();
    other.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();

    let again = message(other.client.send_message(keyed("k", request.clone())).await);
    assert_eq!(said(&again), "hello yourself");
    let once_more = message(other.client.send_message(keyed("k", request.clone())).await);
    assert_eq!(once_more, again);
    let events = other.client.send_streaming_message(keyed("k", request)).await.unwrap().into_inner();
    let seen: Vec<_> = all(events).await.iter().map(gist).collect();
    assert_eq!(seen, ["message hello yourself"]);
    assert_no_task(&mut other.client, &proposed).await;
}

#[tokio::test]
async fn a_retry_waits_for_the_reply_that_the_first_call_waited_for() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut other = Replica::start(&stage.redis, deciding()).await;
    let mut work = worker(&mut other.agent).await;
    let request = clients::send("hello");
    let first = sending(&stage.client, keyed("k", request.clone()));
    let proposed = next(&mut work).await.task.unwrap();
    let second = sending(&other.client, keyed("k", request));
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    assert_eq!(message(first.await.unwrap()), message(second.await.unwrap()));
}

#[tokio::test]
async fn a_reply_under_a_lost_lease_is_refused() {
    let options = || deciding().flag("work-lease-ms", 500);
    let mut stage = Stage::set_with(options()).await;
    let mut dead = worker(&mut clients::agent(stage.service.at.agent_grpc).await).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let lost = next(&mut dead).await;
    drop(dead);
    let mut work = stage.worker(1).await;
    let held = next(&mut work).await;
    assert_eq!(held.delivery, 2);
    let refused = stage.agent.reply_with_message(reply_under(&lost, "late")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "LEASE_LOST");
    stage.agent.reply_with_message(reply_under(&held, "hello yourself")).await.unwrap();
    assert_eq!(said(&message(answer.await.unwrap())), "hello yourself");
}

#[tokio::test]
async fn a_reply_after_a_move_is_refused_with_the_state() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.start_working(transition(&proposed)).await.unwrap();
    let before = fingerprint(&stage.redis).await;
    let refused = stage.agent.reply_with_message(reply(&proposed, "late")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "TASK_STATE_CONFLICT");
    assert_eq!(clients::error_info(&refused).metadata["state"], "TASK_STATE_WORKING");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
    stage.agent.complete_task(transition(&proposed)).await.unwrap();
    answer.await.unwrap().expect("the task");
}

#[tokio::test]
async fn a_move_after_a_reply_finds_no_task() {
    let mut stage = Stage::set_with(deciding()).await;
    let mut work = stage.worker(1).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    assert_not_found(&stage.agent.complete_task(transition(&proposed)).await.unwrap_err());
    message(answer.await.unwrap());
}

#[tokio::test]
async fn a_reply_given_many_times_is_given_once() {
    let mut stage = Stage::set_with(deciding().flag("max-tasks-per-tenant", 1)).await;
    let mut work = stage.worker(4).await;
    let answer = sending(&stage.client, Request::new(clients::send("hello")));
    let proposed = next(&mut work).await.task.unwrap();
    let replies = (0..20).map(|number| {
        let (mut agent, reply) = (stage.agent.clone(), reply(&proposed, &number.to_string()));
        tokio::spawn(async move { agent.reply_with_message(reply).await })
    });
    for given in futures::future::join_all(replies).await {
        given.unwrap().expect("a reply is idempotent");
    }
    let heard = said(&message(answer.await.unwrap()));
    stage.agent.reply_with_message(reply(&proposed, "once more")).await.expect("a reply is idempotent");
    let replied = recorded(&stage.redis, &proposed.id).await;
    assert_eq!(replied, ["TaskProposed", "MessageReplied"], "{heard} was heard");

    // What the message had reserved is free again, once.
    let kept = sending(&stage.client, Request::new(clients::send("keep")));
    let task = next(&mut work).await.task.unwrap();
    let refused = stage.client.send_message(clients::send("too many")).await.unwrap_err();
    assert_refused(&refused, Code::ResourceExhausted, "RESOURCE_EXHAUSTED");
    stage.agent.complete_task(transition(&task)).await.unwrap();
    kept.await.unwrap().expect("the task");
}

#[tokio::test]
async fn a_webhook_of_an_answered_message_gets_nothing() {
    let redis = RedisServer::start(RedisOptions::default()).await;
    // One shard: what is dispatched last was recorded last.
    let mut stage = Stage::set_on(redis, deciding().flag("shards", 1)).await;
    let _dispatcher = Dispatcher::start(&stage.redis, ServiceOptions::default().flag("shards", 1)).await;
    let receiver = WebhookReceiver::start(Behaviour::Status(200)).await;
    let mut work = stage.worker(4).await;
    let hooked = |path: &str| {
        clients::with_push(clients::send("hello"), clients::push_config("one", &receiver.url(path)))
    };
    let answered = sending(&stage.client, Request::new(hooked("/answered")));
    let proposed = next(&mut work).await.task.unwrap();
    stage.agent.reply_with_message(reply(&proposed, "hello yourself")).await.unwrap();
    message(answered.await.unwrap());
    let kept = sending(&stage.client, Request::new(hooked("/task")));
    let task = next(&mut work).await.task.unwrap();
    stage.agent.complete_task(transition(&task)).await.unwrap();
    kept.await.unwrap().expect("the task");
    let requests = receiver.await_events(2, SOON).await;
    let seen: Vec<_> = requests.iter().map(|r| (r.path.as_str(), gist(r.event.as_ref().unwrap()))).collect();
    let expected = ["task TASK_STATE_SUBMITTED", "TASK_STATE_COMPLETED"];
    assert_eq!(seen, expected.map(|gist| ("/task", gist.to_owned())));
    until("no lane is left", SOON, async || {
        keys_with(&stage.redis, "due:push").await.is_empty().then_some(())
    })
    .await;
    assert_eq!(receiver.recorded().len(), 2);
}

#[tokio::test]
async fn where_every_message_makes_a_task_a_reply_is_refused() {
    let mut stage = Stage::set().await;
    let task = stage.submitted("hello").await;
    let before = fingerprint(&stage.redis).await;
    let refused = stage.agent.reply_with_message(reply(&task, "hello yourself")).await.unwrap_err();
    assert_refused(&refused, Code::FailedPrecondition, "TASK_STATE_CONFLICT");
    assert_eq!(clients::error_info(&refused).metadata["state"], "TASK_STATE_SUBMITTED");
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

#[tokio::test]
async fn a_reply_needs_a_message_and_a_task() {
    let mut stage = Stage::set_with(deciding()).await;
    let nobody = Task { id: "nobody".to_owned(), ..Task::default() };
    assert_not_found(&stage.agent.reply_with_message(reply(&nobody, "hello")).await.unwrap_err());
    let empty = ReplyWithMessageRequest { message: None, ..reply(&nobody, "") };
    assert_bad_field(&stage.agent.reply_with_message(empty).await.unwrap_err(), "message");
}

#[tokio::test]
async fn a_task_whose_log_was_trimmed_still_answers_the_retry() {
    let options = deciding().flag("log-max-events", 100);
    let mut stage = Stage::set_with(options).await;
    let mut work = stage.worker(1).await;
    let request = clients::send("hello");
    let first = sending(&stage.client, keyed("k", request.clone()));
    let task = next(&mut work).await.task.unwrap();
    crate::resumption::outgrow_the_log(&mut stage.agent, &task).await;
    stage.agent.complete_task(transition(&task)).await.unwrap();
    let first = first.await.unwrap().unwrap().into_inner();
    let again = tokio::time::timeout(SOON, stage.client.send_message(keyed("k", request))).await;
    assert_eq!(again.expect("an answer in time").unwrap().into_inner(), first);
}

type Sent = Result<Response<SendMessageResponse>, Status>;

fn sending(client: &A2aClient, request: Request<a2a_proto::a2a::SendMessageRequest>) -> JoinHandle<Sent> {
    let mut client = client.clone();
    tokio::spawn(async move { client.send_message(request).await })
}

async fn worker(agent: &mut AgentClient) -> tonic::Streaming<WorkItem> {
    let request = a2a_proto::agent::ReceiveWorkRequest { max_leases: 1, ..Default::default() };
    agent.receive_work(request).await.expect("receive work").into_inner()
}

fn reply(task: &Task, text: &str) -> ReplyWithMessageRequest {
    ReplyWithMessageRequest {
        id: task.id.clone(),
        message: Some(clients::agent_text(text)),
        ..ReplyWithMessageRequest::default()
    }
}

fn reply_under(item: &WorkItem, text: &str) -> ReplyWithMessageRequest {
    let lease_token = item.lease.as_ref().expect("a lease").token.clone();
    ReplyWithMessageRequest { lease_token, ..reply(item.task.as_ref().expect("a task"), text) }
}

#[track_caller]
fn message(answer: Sent) -> Message {
    match answer.expect("an answer").into_inner().payload {
        Some(Payload::Message(message)) => message,
        other => panic!("expected a message, got {other:?}"),
    }
}

fn said(message: &Message) -> String {
    text(&message.parts[0]).to_owned()
}

async fn assert_no_task(client: &mut A2aClient, proposed: &Task) {
    assert_not_found(&client.get_task(get(&proposed.id)).await.expect_err("no task remains"));
    assert_eq!(client.list_tasks(list("")).await.expect("a page").into_inner().total_size, 0);
}
