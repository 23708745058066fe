//! GetTask, ListTasks and SubscribeToTask: nothing changes.

use a2a_proto::a2a::{GetTaskRequest, ListTasksRequest, ListTasksResponse, SubscribeToTaskRequest, Task};
use a2a_store::Parts;

use super::{TaskStream, Tasks, Until, resume::Resumption};
use crate::{
    call::Call,
    error::Error,
    parse::{self, ListTasks, PageToken},
};

impl Tasks {
    /// The task as it stands.
    pub async fn get(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        self.admit(call, &request.tenant)?;
        parse::task_id("id", &request.id)?;
        let history_length = parse::get_history_length(request.history_length)?;
        let parts = Parts { history: history_length != Some(0), artifacts: true };
        let view = self.store.read(&request.id, parts).await?;
        let view = view
            .filter(|view| view.head.tenant == request.tenant && !view.head.provisional)
            .ok_or(Error::NotFound)?;
        Ok(view.into_task(history_length))
    }

    /// The caller's tasks, newest status first.
    pub async fn list(&self, call: &Call, request: ListTasksRequest) -> Result<ListTasksResponse, Error> {
        self.admit(call, &request.tenant)?;
        let ListTasks { filter, after, page_size, history_length, include_artifacts } =
            parse::list_tasks(request)?;
        let parts = Parts { history: history_length != Some(0), artifacts: include_artifacts };
        let page = self.store.list(&filter, after.as_ref(), page_size, parts).await?;
        let next = page.next.map(|next| PageToken::encode(&parse::query(&filter), &next.as_str()));
        Ok(ListTasksResponse {
            tasks: page.tasks.into_iter().map(|view| view.into_task(history_length)).collect(),
            next_page_token: next.unwrap_or_default(),
            page_size: i32::try_from(page_size).unwrap_or(i32::MAX),
            total_size: i32::try_from(page.total).unwrap_or(i32::MAX),
        })
    }

    /// A snapshot of a live task, then every later change.
    pub async fn subscribe(&self, call: &Call, request: SubscribeToTaskRequest) -> Result<TaskStream, Error> {
        if !self.admit(call, &request.tenant)?.streams() {
            return Err(Error::StreamingNotSupported);
        }
        parse::task_id("id", &request.id)?;
        let resume_after = call.resume_revision()?;
        let subscription = self.hub.subscribe(&request.id);
        let head = self.visible(&request.tenant, &request.id).await?;
        let subscription = match self.resume(resume_after, &head, subscription).await? {
            Resumption::Resumed(stream) => return Ok(stream.counted(self.streams.enter(&request.tenant)?)),
            Resumption::Snapshot(subscription) => subscription,
        };
        if head.state.is_terminal() {
            return Err(Error::SubscribeTerminal);
        }
        let place = self.streams.enter(&request.tenant)?;
        let first = self.snapshot(&request.id, None).await?;
        let follow = self.follow(subscription, first.revision, None);
        Ok(TaskStream::new(Some(first), follow, Until::Terminal).counted(place))
    }
}
