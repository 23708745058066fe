//! A task and its way: commands one after the other, each carried out exactly
//! once whatever happens to the processes in between.

use a2a_proto::{
    a2a::{GetTaskRequest, Message, SendMessageRequest, Task, send_message_response},
    agent::{TransitionRequest, UpdateArtifactRequest},
};
use a2a_tests::{clients, until};
use tonic::Status;

use crate::{
    calls::{PATIENCE, answered, is_unanswered, keyed, mismatch},
    doors::Doors,
};

/// The artifact that chunks are added to.
pub(crate) const ARTIFACT: &str = "artifact";

/// One command.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Start,
    Progress(String),
    /// A chunk of the artifact; the first one makes it.
    Chunk(String),
    /// The agent asks, and the turn ends.
    Ask(String),
    /// The client answers, which subscribers do not see.
    Answer(String),
    Complete(String),
}

/// A task that only this one moves, so that its revision is known.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) task: Task,
    pub(crate) revision: i64,
    /// What was said and done, in order, with the revision of each.
    pub(crate) done: Vec<(i64, Step)>,
}

impl Walk {
    /// Makes the task; `key` names the send.
    pub(crate) async fn begin(doors: &Doors, key: &str, request: SendMessageRequest) -> Self {
        let sent =
            answered("send", || async { doors.client().send_message(keyed(key, request.clone())).await });
        doors.count();
        Self { task: task(sent.await.into_inner().payload), revision: 1, done: Vec::new() }
    }

    /// Takes one step, exactly once.
    pub(crate) async fn step(&mut self, doors: &Doors, step: Step) {
        match &step {
            Step::Answer(text) => self.answer(doors, text).await,
            _ => self.command(doors, &step).await,
        }
        self.revision += 1;
        self.done.push((self.revision, step));
        doors.count();
    }

    /// The task as any replica shows it.
    pub(crate) async fn read(&self, doors: &Doors) -> Task {
        let get = GetTaskRequest { id: self.task.id.clone(), ..GetTaskRequest::default() };
        answered("get", || async { doors.client().get_task(get.clone()).await }).await.into_inner()
    }

    /// What subscribers and webhooks are to see, by revision; the creation is the first.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (i64, String)> + '_ {
        let steps = self.done.iter().filter_map(|(revision, step)| Some((*revision, step.gist()?)));
        std::iter::once((1, "task".to_owned())).chain(steps)
    }

    async fn answer(&self, doors: &Doors, text: &str) {
        let message = Message {
            task_id: self.task.id.clone(),
            context_id: self.task.context_id.clone(),
            ..clients::user_text(text)
        };
        let request = SendMessageRequest { message: Some(message), ..clients::send_and_return(text) };
        let key = format!("{}-{}", self.task.id, self.revision);
        answered("answer", || async { doors.client().send_message(keyed(&key, request.clone())).await })
            .await;
    }

    /// An unanswered command is repeated; that it names the revision shows
    /// whether it was carried out before.
    async fn command(&self, doors: &Doors, step: &Step) {
        until("a command is answered", PATIENCE, || async {
            match self.attempt(doors, step).await {
                Ok(()) => Some(()),
                Err(status) if is_unanswered(&status) => None,
                Err(status) if mismatch(&status) == Some(self.revision + 1) => Some(()),
                Err(status) => panic!("{step:?} of {}: {status:?}", self.task.id),
            }
        })
        .await;
    }

    async fn attempt(&self, doors: &Doors, step: &Step) -> Result<(), Status> {
        let mut agent = doors.agent();
        match step {
            Step::Start => agent.start_working(self.saying("")).await.map(drop),
            Step::Progress(text) => agent.report_progress(self.saying(text)).await.map(drop),
            Step::Ask(text) => agent.require_input(self.saying(text)).await.map(drop),
            Step::Complete(text) => agent.complete_task(self.saying(text)).await.map(drop),
            Step::Chunk(text) => agent.update_artifact(self.chunk(text)).await.map(drop),
            Step::Answer(_) => unreachable!("clients answer"),
        }
    }

    fn saying(&self, text: &str) -> TransitionRequest {
        TransitionRequest {
            id: self.task.id.clone(),
            status_message: (!text.is_empty()).then(|| clients::agent_text(text)),
            expected_revision: Some(self.revision),
            ..TransitionRequest::default()
        }
    }

    fn chunk(&self, text: &str) -> UpdateArtifactRequest {
        UpdateArtifactRequest {
            id: self.task.id.clone(),
            artifact: Some(clients::text_artifact(ARTIFACT, text)),
            append: self.done.iter().any(|(_, step)| matches!(step, Step::Chunk(_))),
            expected_revision: Some(self.revision),
            ..UpdateArtifactRequest::default()
        }
    }
}

impl Step {
    /// What a subscriber sees of it.
    pub(crate) fn gist(&self) -> Option<String> {
        match self {
            Self::Start => Some("TASK_STATE_WORKING".to_owned()),
            Self::Progress(text) => Some(format!("TASK_STATE_WORKING {text}")),
            Self::Chunk(text) => Some(format!("artifact {text}")),
            Self::Ask(text) => Some(format!("TASK_STATE_INPUT_REQUIRED {text}")),
            Self::Answer(_) => None,
            Self::Complete(text) => Some(format!("TASK_STATE_COMPLETED {text}")),
        }
    }
}

fn task(payload: Option<send_message_response::Payload>) -> Task {
    match payload {
        Some(send_message_response::Payload::Task(task)) => task,
        other => panic!("expected a task, got {other:?}"),
    }
}
