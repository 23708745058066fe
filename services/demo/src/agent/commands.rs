use std::time::Duration;

use a2a_proto::{
    a2a::{Artifact, Message, Part, Role, part::Content},
    agent::{
        ReleaseWorkRequest, TransitionRequest, UpdateArtifactRequest,
        agent_service_client::AgentServiceClient,
    },
};
use a2a_runtime::random;
use tonic::{Request, Status, transport::Channel};

use super::script::Step;

const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// A task held under a lease. Every command shows the lease's token, which also
/// moves its expiry forward.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) client: AgentServiceClient<Channel>,
    pub(super) task_id: String,
    pub(super) lease_token: String,
}

impl Held {
    pub(super) async fn follow(mut self, steps: Vec<Step>) -> Result<(), Status> {
        for step in steps {
            self.take(step).await?;
        }
        Ok(())
    }

    /// Hands the task back, to be given out again at once.
    pub(super) async fn release(mut self) -> Result<(), Status> {
        let release = ReleaseWorkRequest { id: self.task_id, lease_token: self.lease_token, finished: false };
        self.client.release_work(bounded(release, RELEASE_TIMEOUT)).await.map(drop)
    }

    async fn take(&mut self, step: Step) -> Result<(), Status> {
        match step {
            Step::Start { saying } => self.client.start_working(self.move_saying(saying)).await.map(drop),
            Step::AskFor { saying } => self.client.require_input(self.move_saying(saying)).await.map(drop),
            Step::Complete { saying } => self.client.complete_task(self.move_saying(saying)).await.map(drop),
            Step::Chunk { text, first, last } => {
                self.client.update_artifact(self.chunk(text, first, last)).await.map(drop)
            }
        }
    }

    fn move_saying(&self, text: &str) -> Request<TransitionRequest> {
        let transition = TransitionRequest {
            id: self.task_id.clone(),
            status_message: Some(message(text)),
            lease_token: self.lease_token.clone(),
            ..TransitionRequest::default()
        };
        bounded(transition, COMMAND_TIMEOUT)
    }

    fn chunk(&self, text: String, first: bool, last: bool) -> Request<UpdateArtifactRequest> {
        let artifact = Artifact {
            artifact_id: "answer".to_owned(),
            name: "answer.txt".to_owned(),
            parts: vec![part(text)],
            ..Artifact::default()
        };
        let update = UpdateArtifactRequest {
            id: self.task_id.clone(),
            artifact: Some(artifact),
            append: !first,
            last_chunk: last,
            lease_token: self.lease_token.clone(),
            ..UpdateArtifactRequest::default()
        };
        bounded(update, COMMAND_TIMEOUT)
    }
}

fn bounded<T>(message: T, timeout: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    request
}

fn message(text: &str) -> Message {
    Message {
        message_id: random::uuid().to_string(),
        role: Role::Agent.into(),
        parts: vec![part(text.to_owned())],
        ..Message::default()
    }
}

fn part(text: String) -> Part {
    Part { content: Some(Content::Text(text)), media_type: "text/plain".to_owned(), ..Part::default() }
}
