use std::{net::SocketAddr, pin::Pin, sync::Arc};

use a2a_proto::{
    a2a::{Message, Part, Task, TaskState, TaskStatus, part::Content},
    agent::{
        ExtendLeaseRequest, Lease, ListAllPushNotificationConfigsRequest,
        ListAllPushNotificationConfigsResponse, ListAllTasksRequest, ListAllTasksResponse,
        ReceiveWorkRequest, ReleaseWorkRequest, ReleaseWorkResponse, ReplyWithMessageRequest,
        ReplyWithMessageResponse, TransitionRequest, UpdateArtifactRequest, UpdateArtifactResponse,
        UpdateArtifactsResponse, WorkItem, WorkKind, WorkRequest,
        agent_service_server::{AgentService, AgentServiceServer},
    },
};
use futures::Stream;
use tokio::{
    net::TcpListener,
    sync::{Mutex, mpsc, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, Streaming, transport::Server};

use super::{super::run, DEADLINE, Settings, Shutdown};
use crate::event;

/// None breaks the stream.
type Handed = Option<WorkItem>;
type Told = Result<Response<Task>, Status>;

/// A task service for one agent.
pub(super) struct Fake {
    addr: SocketAddr,
    items: mpsc::UnboundedSender<Handed>,
    told: mpsc::UnboundedReceiver<String>,
    holding: watch::Sender<bool>,
}

pub(super) struct Agent {
    shutdown: Shutdown,
    running: JoinHandle<()>,
}

struct Service {
    items: Arc<Mutex<mpsc::UnboundedReceiver<Handed>>>,
    told: mpsc::UnboundedSender<String>,
    holding: watch::Receiver<bool>,
}

pub(super) fn item(task: &str, kind: WorkKind, state: TaskState, text: &str) -> WorkItem {
    let part = Part { content: Some(Content::Text(text.to_owned())), ..Part::default() };
    let message = Message { parts: vec![part], ..Message::default() };
    let status = TaskStatus { state: state.into(), ..TaskStatus::default() };
    WorkItem {
        kind: kind.into(),
        task: Some(Task { id: task.to_owned(), status: Some(status), ..Task::default() }),
        request: Some(WorkRequest { message: Some(message), ..WorkRequest::default() }),
        lease: Some(Lease { token: format!("lease-{task}"), ..Lease::default() }),
        ..WorkItem::default()
    }
}

impl Fake {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (items, handed) = mpsc::unbounded_channel();
        let (sender, told) = mpsc::unbounded_channel();
        let holding = watch::Sender::new(false);
        let service =
            Service { items: Arc::new(Mutex::new(handed)), told: sender, holding: holding.subscribe() };
        let server = Server::builder().add_service(AgentServiceServer::new(service));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Self { addr, items, told, holding }
    }

    pub(super) fn agent(&self) -> Agent {
        let settings =
            Settings { agent_addr: self.addr.to_string(), worker_name: "test".to_owned(), max_leases: 8 };
        let shutdown = Shutdown::without_signals();
        let handle = shutdown.clone();
        let running =
            tokio::spawn(async move { run(&settings, super::super::steps, &handle).await.unwrap() });
        Agent { shutdown, running }
    }

    /// From now on commands are noted and never answered.
    pub(super) fn hold(&self) {
        self.holding.send_replace(true);
    }

    pub(super) fn hand_out(&self, item: WorkItem) {
        self.items.send(Some(item)).unwrap();
    }

    pub(super) fn break_stream(&self) {
        self.items.send(None).unwrap();
    }

    /// The next commands, awaited.
    pub(super) async fn told(&mut self, count: usize) -> Vec<String> {
        let mut told = Vec::new();
        while told.len() < count {
            let next = timeout(DEADLINE, self.told.recv()).await;
            told.push(next.unwrap_or_else(|_| panic!("{count} commands: only {told:?} came")).unwrap());
        }
        told
    }

    /// The commands that came and were not asked for yet.
    pub(super) fn told_in_all(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.told.try_recv().ok()).collect()
    }
}

impl Agent {
    pub(super) async fn stop(self) {
        self.shutdown.trigger();
        timeout(DEADLINE, self.running).await.unwrap().unwrap();
    }
}

impl Service {
    async fn note(&self, line: String) {
        self.told.send(line).unwrap();
        if *self.holding.borrow() {
            std::future::pending::<()>().await;
        }
    }

    async fn transition(&self, verb: &str, request: Request<TransitionRequest>) -> Told {
        let TransitionRequest { id, lease_token, status_message, .. } = request.into_inner();
        self.note(format!("{verb} {id} {lease_token} {}", event::text(&status_message.unwrap().parts))).await;
        Ok(Response::new(Task::default()))
    }
}

#[tonic::async_trait]
impl AgentService for Service {
    type ReceiveWorkStream = Pin<Box<dyn Stream<Item = Result<WorkItem, Status>> + Send>>;

    async fn receive_work(
        &self,
        _: Request<ReceiveWorkRequest>,
    ) -> Result<Response<Self::ReceiveWorkStream>, Status> {
        let items = Arc::clone(&self.items);
        let stream = futures::stream::unfold(items, |items| async {
            let item = items.lock().await.recv().await??;
            Some((Ok(item), items))
        });
        Ok(Response::new(Box::pin(stream)))
    }

    async fn start_working(&self, request: Request<TransitionRequest>) -> Told {
        self.transition("start", request).await
    }

    async fn require_input(&self, request: Request<TransitionRequest>) -> Told {
        self.transition("input", request).await
    }

    async fn complete_task(&self, request: Request<TransitionRequest>) -> Told {
        self.transition("complete", request).await
    }

    async fn update_artifact(
        &self,
        request: Request<UpdateArtifactRequest>,
    ) -> Result<Response<UpdateArtifactResponse>, Status> {
        let UpdateArtifactRequest { id, lease_token, artifact, append, last_chunk, .. } =
            request.into_inner();
        let text = event::text(&artifact.unwrap().parts);
        self.note(format!("artifact {id} {lease_token} append={append} last={last_chunk} {text}")).await;
        Ok(Response::new(UpdateArtifactResponse::default()))
    }

    async fn release_work(
        &self,
        request: Request<ReleaseWorkRequest>,
    ) -> Result<Response<ReleaseWorkResponse>, Status> {
        let ReleaseWorkRequest { id, lease_token, finished } = request.into_inner();
        self.told.send(format!("release {id} {lease_token} finished={finished}")).unwrap();
        Ok(Response::new(ReleaseWorkResponse::default()))
    }

    async fn require_auth(&self, _: Request<TransitionRequest>) -> Told {
        Err(unused())
    }

    async fn fail_task(&self, _: Request<TransitionRequest>) -> Told {
        Err(unused())
    }

    async fn reject_task(&self, _: Request<TransitionRequest>) -> Told {
        Err(unused())
    }

    async fn report_progress(&self, _: Request<TransitionRequest>) -> Told {
        Err(unused())
    }

    async fn update_artifacts(
        &self,
        _: Request<Streaming<UpdateArtifactRequest>>,
    ) -> Result<Response<UpdateArtifactsResponse>, Status> {
        Err(unused())
    }

    async fn reply_with_message(
        &self,
        _: Request<ReplyWithMessageRequest>,
    ) -> Result<Response<ReplyWithMessageResponse>, Status> {
        Err(unused())
    }

    async fn extend_lease(&self, _: Request<ExtendLeaseRequest>) -> Result<Response<Lease>, Status> {
        Err(unused())
    }

    async fn list_all_tasks(
        &self,
        _: Request<ListAllTasksRequest>,
    ) -> Result<Response<ListAllTasksResponse>, Status> {
        Err(unused())
    }

    async fn list_all_push_notification_configs(
        &self,
        _: Request<ListAllPushNotificationConfigsRequest>,
    ) -> Result<Response<ListAllPushNotificationConfigsResponse>, Status> {
        Err(unused())
    }
}

fn unused() -> Status {
    Status::unimplemented("the sample agent does not call this")
}
