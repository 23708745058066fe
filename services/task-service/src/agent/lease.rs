//! Keeping a lease, and giving it back.

use a2a_proto::agent::{ExtendLeaseRequest, Lease, ReleaseWorkRequest};
use a2a_runtime::clock;

use super::Agents;
use crate::{error::Error, tasks::timestamp};

impl Agents {
    /// Keeps a lease for another term.
    pub async fn extend_lease(&self, request: &ExtendLeaseRequest) -> Result<Lease, Error> {
        require_token(&request.lease_token)?;
        let (head, lease_ms) = (self.head(&request.id).await?, self.terms.lease_ms);
        let extended =
            self.tasks.store.extend_work(&head.tenant, &head.id, &request.lease_token, lease_ms).await?;
        extended.map(|_| self.fresh_lease(&request.lease_token)).map_err(|_| Error::LeaseLost)
    }

    /// Gives a lease back.
    pub async fn release_work(&self, request: &ReleaseWorkRequest) -> Result<(), Error> {
        require_token(&request.lease_token)?;
        let head = self.head(&request.id).await?;
        let token = &request.lease_token;
        let released = self.tasks.store.release_work(&head.tenant, &head.id, token, request.finished).await?;
        released.map_err(|_| Error::LeaseLost)
    }

    /// A lease that was renewed just now.
    pub(super) fn fresh_lease(&self, token: &str) -> Lease {
        let remaining_ms = i64::try_from(self.terms.lease_ms).unwrap_or(i64::MAX);
        let expires_at = Some(timestamp(clock::unix_ms().saturating_add(remaining_ms)));
        Lease { token: token.to_owned(), expires_at, remaining_ms }
    }
}

fn require_token(token: &str) -> Result<(), Error> {
    if token.is_empty() { Err(Error::invalid("leaseToken", "is required")) } else { Ok(()) }
}
