//! The ids that a send will use: fresh ones, or those of its first time when it
//! carries an idempotency key.

use a2a_proto::a2a::SendMessageRequest;
use a2a_runtime::random;
use a2a_store::FirstUse;
use prost::Message as _;
use sha2::{Digest as _, Sha256};

use super::Tasks;
use crate::{call::Call, error::Error};

/// The ids of a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Of the task, if the send makes one.
    pub(super) task: String,
    /// Of the change.
    pub(super) change_id: String,
    /// The send may have been made before.
    pub(super) keyed: bool,
}

impl Tasks {
    /// The ids of a send. The same key with another request is refused.
    pub(super) async fn identify(
        &self,
        call: &Call,
        request: &SendMessageRequest,
    ) -> Result<Identity, Error> {
        let fresh = || random::uuid().to_string();
        let Some(key) = self.key_of(call, request)? else {
            return Ok(Identity { task: fresh(), change_id: fresh(), keyed: false });
        };
        let request = hex(&Sha256::digest(request.encode_to_vec()));
        let use_now = FirstUse { request, task: fresh(), change_id: fresh() };
        let first = self.store.first_use(&key, &use_now, self.policy.idempotency_ms).await?;
        if first.request != use_now.request {
            return Err(Error::invalid("idempotency-key", "was used for another request"));
        }
        Ok(Identity { task: first.task, change_id: first.change_id, keyed: true })
    }

    /// The digest of the key, within its tenant: keys may be long, or secret.
    fn key_of(&self, call: &Call, request: &SendMessageRequest) -> Result<Option<String>, Error> {
        let message_id = || {
            let message = request.message.as_ref().filter(|_| self.policy.message_id_is_idempotency_key)?;
            Some(format!("message {}", message.message_id))
        };
        let key = call.key()?.map(|key| format!("key {key}")).or_else(message_id);
        let tenant = &request.tenant;
        Ok(key.map(|key| hex(&Sha256::digest(format!("{} {tenant} {key}", tenant.len())))))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
