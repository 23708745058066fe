//! The push notification configs of a task.

use a2a_proto::a2a::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    TaskPushNotificationConfig,
};
use a2a_runtime::random;
use a2a_store::{Commit, NewPush};

use super::Tasks;
use crate::{
    call::Call,
    error::Error,
    parse::{self, PageToken},
};

impl Tasks {
    /// Registers a webhook; the same id replaces.
    pub async fn create_push(
        &self,
        call: &Call,
        config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.admit_push(call, &config.tenant)?;
        let mut config = parse::push_config(config, &self.policy.egress)?;
        let head = self.visible(&config.tenant, &config.task_id).await?;
        if config.id.is_empty() {
            config.id = random::uuid().to_string();
        }
        let max_configs = self.policy.max_push_configs;
        let push = NewPush { config, max_configs };
        let snapshot_id = random::uuid().to_string();
        match self.store.put_push(&head, &push, &snapshot_id, &call.stored_trace()).await? {
            Commit::Gone => Err(Error::NotFound),
            Commit::Full => Err(Error::ConfigLimit(max_configs)),
            Commit::Applied | Commit::Conflict | Commit::Fenced => Ok(push.config),
        }
    }

    /// One webhook of a task.
    pub async fn get_push(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.admit_push(call, &request.tenant)?;
        parse::task_id("taskId", &request.task_id)?;
        parse::task_id("id", &request.id)?;
        let head = self.visible(&request.tenant, &request.task_id).await?;
        self.store.push(&head.id, &request.id).await?.ok_or(Error::NotFound)
    }

    /// The webhooks of a task, by id.
    pub async fn list_pushes(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.admit_push(call, &request.tenant)?;
        parse::task_id("taskId", &request.task_id)?;
        let page_size = parse::page_size((request.page_size != 0).then_some(request.page_size))?;
        let after = last_id(&request)?;
        let head = self.visible(&request.tenant, &request.task_id).await?;
        let mut configs = self.store.pushes(&head.id).await?;
        configs.retain(|config| after.as_ref().is_none_or(|after| config.id > *after));
        let more = configs.len() > page_size;
        configs.truncate(page_size);
        let next = configs.last().filter(|_| more).map(|last| PageToken::encode(&head.id, &last.id));
        Ok(ListTaskPushNotificationConfigsResponse { configs, next_page_token: next.unwrap_or_default() })
    }

    /// Removes a webhook; nothing is sent to it afterwards. Idempotent.
    pub async fn delete_push(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        self.admit_push(call, &request.tenant)?;
        parse::task_id("taskId", &request.task_id)?;
        parse::task_id("id", &request.id)?;
        let head = self.visible(&request.tenant, &request.task_id).await?;
        match self.store.delete_push(&head, &request.id, &call.stored_trace()).await? {
            Commit::Gone => Err(Error::NotFound),
            _ => Ok(()),
        }
    }

    fn admit_push(&self, call: &Call, tenant: &str) -> Result<(), Error> {
        if self.admit(call, tenant)?.pushes() { Ok(()) } else { Err(Error::PushNotSupported) }
    }
}

fn last_id(request: &ListTaskPushNotificationConfigsRequest) -> Result<Option<String>, Error> {
    if request.page_token.is_empty() {
        return Ok(None);
    }
    let id = PageToken::decode(&request.task_id, &request.page_token);
    id.map(Some).ok_or_else(|| Error::invalid("pageToken", "is not a token of this query"))
}
