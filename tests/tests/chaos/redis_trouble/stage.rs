//! One process of each kind with a worker's stream that stays open, and tasks
//! that show whether everything works.

use std::time::{Duration, Instant};

use a2a_proto::agent::{ReceiveWorkRequest, TransitionRequest, WorkItem};
use a2a_tests::{
    clients,
    process::{Dispatcher, ServiceOptions, TaskService},
    receiver::{Behaviour, WebhookReceiver},
    redis::{AppendOnly, RedisOptions, RedisServer},
    until,
};
use tokio::sync::RwLockReadGuard;
use tonic::{Code, Streaming};

use crate::{
    books::Books,
    calls::PATIENCE,
    doors::Doors,
    drive::{self, Load},
    logs::complaints,
    machine,
};

/// After trouble, the first task must have reached its webhook and worker.
const RECOVERY: Duration = Duration::from_secs(10);
/// Lines that the first moment of trouble may take: each part tells of it once,
/// and then less and less often.
pub(super) const LINES_AT_ONCE: usize = 8;
const AFTERWARDS: Load = Load { tasks: 10, events: 6 };

pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) redis: RedisServer,
    service: TaskService,
    dispatcher: Dispatcher,
    receivers: [WebhookReceiver; 2],
    doors: Doors,
    work: Streaming<WorkItem>,
    pids: [Option<u32>; 2],
    _machine: RwLockReadGuard<'static, ()>,
}

impl Stage {
    pub(super) async fn set(name: &'static str, append_only: AppendOnly) -> Self {
        let machine = machine::shared().await;
        let redis = RedisServer::start(RedisOptions { append_only, ..RedisOptions::default() }).await;
        let service = TaskService::start(&redis, ServiceOptions::default()).await;
        let dispatcher = Dispatcher::start(&redis, ServiceOptions::default().flag("retry-base-ms", 50)).await;
        let doors = Doors::open(&[&service]).await;
        let request = ReceiveWorkRequest { max_leases: 1, ..ReceiveWorkRequest::default() };
        let work = doors.agent().receive_work(request).await.expect("receive work").into_inner();
        let receivers = [
            WebhookReceiver::start(Behaviour::Accept).await,
            WebhookReceiver::start(Behaviour::Accept).await,
        ];
        let pids = [service.pid(), dispatcher.pid()];
        let mut stage =
            Self { name, redis, service, dispatcher, receivers, doors, work, pids, _machine: machine };
        stage.probe().await;
        stage
    }

    /// Complaints of each process so far.
    pub(super) fn complaints(&self) -> [usize; 2] {
        [complaints(&self.service), complaints(&self.dispatcher)]
    }

    /// Sends until the service says that its store is away.
    pub(super) async fn refused(&self) {
        until("a refusal", PATIENCE, || async {
            let refused = self.doors.client().send_message(clients::send_and_return("now?")).await.err()?;
            (refused.code() == Code::Unavailable).then_some(())
        })
        .await;
    }

    /// How long it takes until a new task reaches its webhooks and its worker.
    #[allow(clippy::disallowed_methods, reason = "a duration is measured")]
    pub(super) async fn recover(&mut self) -> Duration {
        let began = Instant::now();
        self.probe().await;
        let recovery = began.elapsed();
        assert!(recovery < RECOVERY, "{} took {recovery:?} to recover", self.name);
        recovery
    }

    /// After recovery everything arrives, through processes that never ended.
    pub(super) async fn check(&mut self) -> usize {
        let receivers = [
            WebhookReceiver::start(Behaviour::Accept).await,
            WebhookReceiver::start(Behaviour::Accept).await,
        ];
        let books = self.drive(AFTERWARDS, &receivers).await;
        let summary = books.check(&books.settled(&[&receivers[0], &receivers[1]]).await);
        assert_eq!([self.service.pid(), self.dispatcher.pid()], self.pids);
        summary.events
    }

    async fn drive(&self, load: Load, [one, two]: &[WebhookReceiver; 2]) -> Books {
        drive::drive(&self.doors, load, [one, two]).await
    }

    /// A task through all parts: its events reach both webhooks, and another is
    /// handed to the worker.
    async fn probe(&mut self) {
        self.receivers = [
            WebhookReceiver::start(Behaviour::Accept).await,
            WebhookReceiver::start(Behaviour::Accept).await,
        ];
        let books = self.drive(Load { tasks: 1, events: 4 }, &self.receivers).await;
        books.settled(&[&self.receivers[0], &self.receivers[1]]).await;
        self.doors.client().send_message(clients::send_and_return("work")).await.expect("send");
        self.work_through("work").await;
    }

    /// Completes what the worker is handed up to the task with this message.
    async fn work_through(&mut self, text: &str) {
        loop {
            let item = tokio::time::timeout(PATIENCE, self.work.message()).await;
            let item = item.expect("work in time").expect("no error").expect("an open stream");
            let said = item.request.as_ref().and_then(|request| request.message.as_ref());
            let is_last = said.is_some_and(|message| crate::gist::texts(&message.parts) == text);
            // What others have ended meanwhile is refused, which is no matter here.
            let _ = self.doors.agent().complete_task(end(&item)).await;
            if is_last {
                return;
            }
        }
    }
}

fn end(item: &WorkItem) -> TransitionRequest {
    let id = item.task.as_ref().expect("a task").id.clone();
    TransitionRequest { id, ..TransitionRequest::default() }
}
