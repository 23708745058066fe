use std::time::Duration;

use a2a_proto::{
    a2a::Artifact,
    agent::{
        ReleaseWorkRequest, ReplyWithMessageRequest, TransitionRequest, UpdateArtifactRequest,
        agent_service_client::AgentServiceClient,
    },
};
use a2a_runtime::clock;
use tonic::{Request, Status, transport::Channel};

use super::script::{Move, Step, message};

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
            Step::Move { to, saying } => self.make(to, saying).await,
            Step::Artifact { artifact, append, last } => {
                self.client.update_artifact(self.chunk(artifact, append, last)).await.map(drop)
            }
            Step::Reply { text } => self.client.reply_with_message(self.reply(&text)).await.map(drop),
            Step::Pause { pause } => {
                clock::pause(pause).await;
                Ok(())
            }
        }
    }

    async fn make(&mut self, to: Move, saying: Option<String>) -> Result<(), Status> {
        let transition = self.transition(saying.as_deref());
        let moved = match to {
            Move::Start => self.client.start_working(transition).await,
            Move::AskFor => self.client.require_input(transition).await,
            Move::Complete => self.client.complete_task(transition).await,
            Move::Reject => self.client.reject_task(transition).await,
        };
        moved.map(drop)
    }

    fn transition(&self, saying: Option<&str>) -> Request<TransitionRequest> {
        let transition = TransitionRequest {
            id: self.task_id.clone(),
            status_message: saying.map(message),
            lease_token: self.lease_token.clone(),
            ..TransitionRequest::default()
        };
        bounded(transition, COMMAND_TIMEOUT)
    }

    fn chunk(&self, artifact: Artifact, append: bool, last_chunk: bool) -> Request<UpdateArtifactRequest> {
        let update = UpdateArtifactRequest {
            id: self.task_id.clone(),
            artifact: Some(artifact),
            append,
            last_chunk,
            lease_token: self.lease_token.clone(),
            ..UpdateArtifactRequest::default()
        };
        bounded(update, COMMAND_TIMEOUT)
    }

    fn reply(&self, text: &str) -> Request<ReplyWithMessageRequest> {
        let reply = ReplyWithMessageRequest {
            id: self.task_id.clone(),
            message: Some(message(text)),
            lease_token: self.lease_token.clone(),
        };
        bounded(reply, COMMAND_TIMEOUT)
    }
}

fn bounded<T>(message: T, timeout: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    request
}
