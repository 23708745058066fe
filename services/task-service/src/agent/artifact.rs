//! Artifacts, whole and in chunks.

use a2a_lifecycle::transition::{ArtifactCommand, update_artifact};
use a2a_proto::{a2a::Artifact, agent::UpdateArtifactRequest};
use a2a_runtime::{clock, random};
use a2a_store::{ArtifactChange, Commit};

use super::Agents;
use crate::{
    call::Call,
    error::Error,
    parse,
    tasks::{COMMIT_TRIES, artifact_event},
};

impl Agents {
    /// Sets an artifact or adds a chunk to one; answers the task's revision.
    pub async fn update_artifact(&self, call: &Call, request: UpdateArtifactRequest) -> Result<u64, Error> {
        parse::task_id("id", &request.id)?;
        let artifact = parse::artifact(request.artifact.clone(), self.tasks.policy.bounds)?;
        parse::request_metadata(request.metadata.as_ref(), self.tasks.policy.bounds)?;
        let mut expected = parse::revision("expectedRevision", request.expected_revision)?;
        for _ in 0..COMMIT_TRIES {
            match self.try_artifact(call, &request, &artifact, &mut expected).await? {
                (Commit::Applied, revision) => return Ok(revision),
                (Commit::Gone, _) => return Err(Error::NotFound),
                (Commit::Fenced, _) => return Err(Error::LeaseLost),
                (Commit::Conflict | Commit::Full, _) => {}
            }
        }
        Err(Error::Contended)
    }

    async fn try_artifact(
        &self,
        call: &Call,
        request: &UpdateArtifactRequest,
        artifact: &Artifact,
        expected: &mut Option<u64>,
    ) -> Result<(Commit, u64), Error> {
        let head = self.head_at(&request.id, *expected).await?;
        let held = self.tasks.store.held_artifact(&head.id, &artifact.artifact_id).await?;
        let UpdateArtifactRequest { append, last_chunk, .. } = *request;
        let command = ArtifactCommand { append, last_chunk, held };
        let decided = update_artifact(&head.lifecycle(), command, &self.tasks.policy.rules)?;
        if head.provisional {
            self.tasks.promote(head, &call.stored_trace(), &request.lease_token).await?;
            *expected = expected.map(|revision| revision + 1);
            return Ok((Commit::Conflict, 0));
        }
        let metadata = request.metadata.clone();
        let change = ArtifactChange {
            change_id: random::uuid().to_string(),
            head: &head,
            at_ms: clock::unix_ms(),
            write: decided.write,
            closes: decided.closes,
            response: artifact_event(&head, artifact.clone(), append, last_chunk, metadata),
            artifact: artifact.clone(),
            trace: call.stored_trace(),
            lease: self.lease(&request.lease_token),
        };
        Ok((self.tasks.store.put_artifact(&change).await?, decided.revision))
    }
}
