//! Every task and every webhook there is.

use a2a_proto::{
    a2a::{AuthenticationInfo, TaskPushNotificationConfig},
    agent::{
        ListAllPushNotificationConfigsRequest, ListAllPushNotificationConfigsResponse, ListAllTasksRequest,
        ListAllTasksResponse, PushNotificationConfigRow, TaskRow,
    },
};
use a2a_store::{Parts, Position, TaskView, views::Place};

use super::Agents;
use crate::{
    error::Error,
    parse::{self, PageToken},
};

/// A place as a page token holds it: shard, tenant, task.
type TokenPlace = (usize, Option<String>, Option<String>);

impl Agents {
    /// Every task of every tenant.
    pub async fn list_all_tasks(&self, request: &ListAllTasksRequest) -> Result<ListAllTasksResponse, Error> {
        let size = parse::page_size(request.page_size)?;
        let place = place("tasks", &request.page_token)?;
        let part = self.tasks.store.all_tasks(place, size, Parts::ALL).await?;
        let tasks = part.rows.into_iter().map(task_row).collect();
        Ok(ListAllTasksResponse { tasks, next_page_token: token("tasks", part.next) })
    }

    /// Every webhook of every task, without its secrets.
    pub async fn list_all_pushes(
        &self,
        request: &ListAllPushNotificationConfigsRequest,
    ) -> Result<ListAllPushNotificationConfigsResponse, Error> {
        let size = parse::page_size(request.page_size)?;
        let place = place("configs", &request.page_token)?;
        let part = self.tasks.store.all_pushes(place, size).await?;
        let configs = part.rows.into_iter().map(config_row).collect();
        Ok(ListAllPushNotificationConfigsResponse { configs, next_page_token: token("configs", part.next) })
    }
}

fn task_row(view: TaskView) -> TaskRow {
    let revision = i64::try_from(view.head.revision).unwrap_or(i64::MAX);
    TaskRow { tenant: view.head.tenant.clone(), revision, task: Some(view.into_task(None)) }
}

fn config_row(config: TaskPushNotificationConfig) -> PushNotificationConfigRow {
    let scheme = config.authentication.as_ref().map(|authentication| authentication.scheme.clone());
    PushNotificationConfigRow {
        row: format!("{}/{}", config.task_id, config.id),
        config: Some(TaskPushNotificationConfig {
            token: String::new(),
            authentication: scheme
                .map(|scheme| AuthenticationInfo { scheme, ..AuthenticationInfo::default() }),
            ..config
        }),
    }
}

fn place(view: &str, token: &str) -> Result<Place, Error> {
    if token.is_empty() {
        return Ok(Place::default());
    }
    let found: Option<TokenPlace> = PageToken::decode(&view.to_owned(), token);
    let (shard, tenant, after) =
        found.ok_or_else(|| Error::invalid("pageToken", "is not a token of this query"))?;
    Ok(Place { shard, tenant, after: after.as_deref().and_then(Position::from_text) })
}

fn token(view: &str, next: Option<Place>) -> String {
    let Some(Place { shard, tenant, after }) = next else { return String::new() };
    let place: TokenPlace = (shard, tenant, after.map(|position| position.as_str().to_owned()));
    PageToken::encode(&view, &place)
}
