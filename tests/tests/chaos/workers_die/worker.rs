//! A worker that may die at any step. Its death is what a killed process leaves:
//! a connection that is closed, and perhaps a command that nobody hears the
//! answer of.

use a2a_proto::{
    a2a::TaskState,
    agent::{ReceiveWorkRequest, TransitionRequest, UpdateArtifactRequest, WorkItem},
};
use a2a_tests::{
    clients::{self, AgentClient},
    process::TaskService,
};
use futures::FutureExt as _;
use tokio::sync::watch;
use tonic::{Response, Status};

use crate::walk::ARTIFACT;

/// Chunks of one task, from each of its workers.
const CHUNKS: usize = 4;
/// The completion, after the start and the chunks.
const LAST_STEP: usize = CHUNKS + 1;
/// This fraction of workers dies at a task.
const DEATH: f64 = 0.4;

/// How a worker goes about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// Dies now and then, and comes back as another.
    Mortal,
    /// Dies each time, so many times.
    Doomed(usize),
    /// Only looks for work, and must be given none.
    Idle,
}

/// A task as it was handed to a worker.
#[derive(Clone, Debug)]
pub(super) struct Handed {
    pub(super) task: String,
    pub(super) token: String,
    pub(super) delivery: i32,
    pub(super) died: bool,
}

/// Where a life ends.
#[derive(Clone, Copy)]
enum Death {
    /// Before a command.
    Before,
    /// With a command on its way.
    Amid,
}

struct Dead;

/// Workers on one service, and the number of tasks that they have completed.
pub(super) struct Crew<'a> {
    service: &'a TaskService,
    completed: watch::Sender<usize>,
}

impl<'a> Crew<'a> {
    pub(super) fn new(service: &'a TaskService) -> Self {
        Self { service, completed: watch::Sender::new(0) }
    }

    /// Works, over as many lives as it takes, until all have completed `tasks`.
    pub(super) async fn work(&self, nature: Nature, mut rng: fastrand::Rng, tasks: usize) -> Vec<Handed> {
        let mut completed = self.completed.subscribe();
        let mut handed = Vec::new();
        loop {
            let over = tokio::select! {
                () = self.live(nature, &mut rng, &mut handed) => false,
                _ = completed.wait_for(|completed| *completed >= tasks) => true,
            };
            let doomed = matches!(nature, Nature::Doomed(most) if handed.len() == most);
            if over || doomed {
                return handed;
            }
        }
    }

    /// One life: its connection is closed at the end.
    async fn live(&self, nature: Nature, rng: &mut fastrand::Rng, handed: &mut Vec<Handed>) {
        let mut agent = clients::agent(self.service.at.agent_grpc).await;
        let request = ReceiveWorkRequest { max_leases: 1, ..ReceiveWorkRequest::default() };
        let mut work = agent.receive_work(request).await.expect("receive work").into_inner();
        while let Some(item) = work.message().await.expect("work") {
            assert!(nature != Nature::Idle, "handed out once more: {item:?}");
            handed.push(Handed::of(&item));
            let mut life = Life::new(nature, rng);
            if attend(&mut agent, &item, &mut life).await.is_err() {
                handed.last_mut().expect("it was pushed").died = true;
                return;
            }
            self.completed.send_modify(|count| *count += 1);
        }
    }
}

/// Starts the task unless another has, adds chunks that hold the token, completes.
async fn attend(agent: &mut AgentClient, item: &WorkItem, life: &mut Life) -> Result<(), Dead> {
    let task = item.task.as_ref().expect("a task");
    if task.status.as_ref().expect("a status").state() == TaskState::Submitted {
        life.take(agent.start_working(under_lease(item))).await?;
    } else {
        life.take(agent.report_progress(under_lease(item))).await?;
    }
    let mut begun = !task.artifacts.is_empty();
    for _ in 0..CHUNKS {
        life.take(agent.update_artifact(chunk(item, begun))).await?;
        begun = true;
    }
    life.take(agent.complete_task(under_lease(item))).await
}

struct Life {
    death: Option<(usize, Death)>,
    steps: usize,
}

impl Life {
    /// Nobody dies amid the last command: it would be open whether the task ended.
    fn new(nature: Nature, rng: &mut fastrand::Rng) -> Self {
        let dies = nature != Nature::Mortal || rng.f64() < DEATH;
        let at = rng.usize(0..=LAST_STEP);
        let death = if at < LAST_STEP && rng.bool() { Death::Amid } else { Death::Before };
        Self { death: dies.then_some((at, death)), steps: 0 }
    }

    /// Makes a call, or dies of it.
    async fn take<T>(&mut self, call: impl Future<Output = Result<Response<T>, Status>>) -> Result<(), Dead> {
        let death = self.death.filter(|(at, _)| *at == self.steps).map(|(_, death)| death);
        self.steps += 1;
        match death {
            None => call.await.map(drop).map_err(|status| lost(&status)),
            Some(Death::Before) => Err(Dead),
            // Polled once, the request is on its way; nobody waits for the answer.
            Some(Death::Amid) => {
                drop(call.now_or_never());
                tokio::task::yield_now().await;
                Err(Dead)
            }
        }
    }
}

/// A worker that was too slow is as good as dead.
fn lost(status: &Status) -> Dead {
    assert_eq!(clients::reason(status), "LEASE_LOST", "{status:?}");
    Dead
}

impl Handed {
    fn of(item: &WorkItem) -> Self {
        Self {
            task: item.task.as_ref().expect("a task").id.clone(),
            token: token(item),
            delivery: item.delivery,
            died: false,
        }
    }
}

fn token(item: &WorkItem) -> String {
    item.lease.as_ref().expect("a lease").token.clone()
}

fn under_lease(item: &WorkItem) -> TransitionRequest {
    let id = item.task.as_ref().expect("a task").id.clone();
    TransitionRequest { id, lease_token: token(item), ..TransitionRequest::default() }
}

fn chunk(item: &WorkItem, append: bool) -> UpdateArtifactRequest {
    UpdateArtifactRequest {
        id: item.task.as_ref().expect("a task").id.clone(),
        artifact: Some(clients::text_artifact(ARTIFACT, &token(item))),
        append,
        lease_token: token(item),
        ..UpdateArtifactRequest::default()
    }
}
