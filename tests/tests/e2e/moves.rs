//! The agent's moves: from which states each starts, and what it does and does
//! not do.

use std::collections::HashMap;

use a2a_proto::{
    a2a::{
        CancelTaskRequest, StreamResponse, SubscribeToTaskRequest, Task, TaskState, stream_response::Payload,
    },
    agent::TransitionRequest,
};
use a2a_tests::clients::{self, AgentClient};
use prost_types::{Struct, Value, value::Kind};
use tonic::{Code, Response, Status};

use crate::{
    inspect::fingerprint,
    stage::{Stage, next, state, transition},
};

/// A command of an agent that sets the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    StartWorking,
    RequireInput,
    RequireAuth,
    Complete,
    Fail,
    Reject,
    Progress,
}

/// Every state that a task can be in.
pub(crate) const STATES: [TaskState; 8] = [
    TaskState::Submitted,
    TaskState::Working,
    TaskState::InputRequired,
    TaskState::AuthRequired,
    TaskState::Completed,
    TaskState::Failed,
    TaskState::Rejected,
    TaskState::Canceled,
];

impl Move {
    pub(crate) async fn ask(
        self,
        agent: &mut AgentClient,
        request: TransitionRequest,
    ) -> Result<Response<Task>, Status> {
        match self {
            Self::StartWorking => agent.start_working(request).await,
            Self::RequireInput => agent.require_input(request).await,
            Self::RequireAuth => agent.require_auth(request).await,
            Self::Complete => agent.complete_task(request).await,
            Self::Fail => agent.fail_task(request).await,
            Self::Reject => agent.reject_task(request).await,
            Self::Progress => agent.report_progress(request).await,
        }
    }
}

/// The move goes from each state of `sources` to `target`: the answer, its
/// revision, the stored task and the one event agree.
pub(crate) async fn check_moved(step: Move, sources: &[TaskState], target: TaskState) {
    let mut stage = Stage::set().await;
    for source in sources {
        let task = in_state(&mut stage, *source).await;
        let subscribe = SubscribeToTaskRequest { id: task.id.clone(), ..SubscribeToTaskRequest::default() };
        let mut events = stage.client.subscribe_to_task(subscribe).await.expect("subscribe").into_inner();
        next(&mut events).await;
        let answer = step.ask(&mut stage.agent, remark(&task)).await.expect("the move");
        assert_eq!(revision(&answer), revision_in(&stage, &task).await, "{step:?} from {source:?}");
        let moved = answer.into_inner();
        assert_eq!(moved.status.as_ref().expect("a status").state(), target, "{step:?} from {source:?}");
        assert_eq!(said(&moved), "a remark");
        assert_eq!(get(&mut stage, &task).await.status, moved.status);
        check_event(&next(&mut events).await, &moved);
    }
}

/// The move is refused in every state but `sources`, names that state, and
/// changes nothing.
pub(crate) async fn check_wrong_state(step: Move, sources: &[TaskState]) {
    let mut stage = Stage::set().await;
    for held in STATES.into_iter().filter(|held| !sources.contains(held)) {
        let task = in_state(&mut stage, held).await;
        let before = fingerprint(&stage.redis).await;
        let refused = step.ask(&mut stage.agent, remark(&task)).await.expect_err("a refusal");
        check_conflict(&refused, held);
        before.assert_unchanged(&fingerprint(&stage.redis).await);
    }
}

/// The move of a task that does not exist is refused.
pub(crate) async fn check_not_found(step: Move) {
    let mut stage = Stage::set().await;
    stage.submitted("another").await;
    let before = fingerprint(&stage.redis).await;
    let nobody = Task { id: "nobody".to_owned(), ..Task::default() };
    let refused = step.ask(&mut stage.agent, remark(&nobody)).await.expect_err("a refusal");
    assert_eq!((refused.code(), clients::reason(&refused).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
    before.assert_unchanged(&fingerprint(&stage.redis).await);
}

/// A refusal for the state, which it names.
#[track_caller]
pub(crate) fn check_conflict(refused: &Status, held: TaskState) {
    let info = clients::error_info(refused);
    assert_eq!((refused.code(), info.reason.as_str()), (Code::FailedPrecondition, "TASK_STATE_CONFLICT"));
    assert_eq!(info.domain, "a2a-protocol.org");
    assert_eq!(info.metadata, HashMap::from([("state".to_owned(), held.as_str_name().to_owned())]));
}

/// A new task, driven into a state.
pub(crate) async fn in_state(stage: &mut Stage, wanted: TaskState) -> Task {
    let task = stage.submitted("hello").await;
    let step = match wanted {
        TaskState::Submitted | TaskState::Unspecified => return task,
        TaskState::Canceled => {
            let cancel = CancelTaskRequest { id: task.id, ..CancelTaskRequest::default() };
            return stage.client.cancel_task(cancel).await.expect("cancel").into_inner();
        }
        TaskState::Working => Move::StartWorking,
        TaskState::InputRequired => Move::RequireInput,
        TaskState::AuthRequired => Move::RequireAuth,
        TaskState::Completed => Move::Complete,
        TaskState::Failed => Move::Fail,
        TaskState::Rejected => Move::Reject,
    };
    let moved =
        step.ask(&mut stage.agent, transition(&task)).await.expect("a move from SUBMITTED").into_inner();
    assert_eq!(state(&moved), wanted.as_str_name());
    moved
}

/// The revision that an answer names.
pub(crate) fn revision<T>(answer: &Response<T>) -> i64 {
    let named = answer.metadata().get("a2a-revision").expect("a revision in the answer");
    named.to_str().expect("ASCII").parse().expect("a number")
}

/// The revision in Redis.
pub(crate) async fn revision_in(stage: &Stage, task: &Task) -> i64 {
    let request = a2a_proto::agent::ListAllTasksRequest { page_size: Some(100), ..Default::default() };
    let rows = stage.agent.clone().list_all_tasks(request).await.expect("list").into_inner().tasks;
    let row = rows.iter().find(|row| row.task.as_ref().is_some_and(|listed| listed.id == task.id));
    row.expect("the task is listed").revision
}

/// The task as clients see it.
pub(crate) async fn get(stage: &mut Stage, task: &Task) -> Task {
    let request = a2a_proto::a2a::GetTaskRequest { id: task.id.clone(), ..Default::default() };
    stage.client.get_task(request).await.expect("get").into_inner()
}

/// Metadata with one member.
pub(crate) fn metadata(key: &str, value: &str) -> Struct {
    let value = Value { kind: Some(Kind::StringValue(value.to_owned())) };
    Struct { fields: [(key.to_owned(), value)].into() }
}

fn remark(task: &Task) -> TransitionRequest {
    TransitionRequest {
        status_message: Some(clients::agent_text("a remark")),
        metadata: Some(metadata("why", "because")),
        ..transition(task)
    }
}

fn said(task: &Task) -> &str {
    let message = task.status.as_ref().and_then(|status| status.message.as_ref()).expect("a status message");
    assert_eq!((&message.task_id, &message.context_id), (&task.id, &task.context_id));
    crate::stage::text(&message.parts[0])
}

#[track_caller]
fn check_event(event: &StreamResponse, moved: &Task) {
    let Some(Payload::StatusUpdate(update)) = &event.payload else { panic!("no status update: {event:?}") };
    assert_eq!((&update.task_id, &update.context_id), (&moved.id, &moved.context_id));
    assert_eq!(update.status, moved.status);
    assert_eq!(update.metadata, Some(metadata("why", "because")));
}
