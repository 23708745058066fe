//! The doors of several replicas, taken in turns, and a count of what was
//! answered.

use std::sync::atomic::{AtomicUsize, Ordering};

use a2a_tests::{
    clients::{self, A2aClient, AgentClient},
    process::TaskService,
};
use tokio::{sync::watch, time::timeout};

use crate::calls::PATIENCE;

/// Where a load knocks. A call that is repeated goes to the next replica.
pub(crate) struct Doors {
    clients: Vec<A2aClient>,
    agents: Vec<AgentClient>,
    turn: AtomicUsize,
    answered: watch::Sender<usize>,
}

impl Doors {
    pub(crate) async fn open(services: &[&TaskService]) -> Self {
        let (mut clients, mut agents) = (Vec::new(), Vec::new());
        for service in services {
            clients.push(clients::a2a(service.at.grpc).await);
            agents.push(clients::agent(service.at.agent_grpc).await);
        }
        Self { clients, agents, turn: AtomicUsize::new(0), answered: watch::Sender::new(0) }
    }

    pub(crate) fn client(&self) -> A2aClient {
        self.clients[self.next() % self.clients.len()].clone()
    }

    pub(crate) fn agent(&self) -> AgentClient {
        self.agents[self.next() % self.agents.len()].clone()
    }

    /// One more command was answered.
    pub(crate) fn count(&self) {
        self.answered.send_modify(|count| *count += 1);
    }

    pub(crate) fn counted(&self) -> usize {
        *self.answered.borrow()
    }

    /// Waits until so many commands were answered.
    pub(crate) async fn await_count(&self, count: usize) {
        let mut answered = self.answered.subscribe();
        let enough = answered.wait_for(|answered| *answered >= count);
        timeout(PATIENCE, enough).await.expect("commands are answered").expect("this holds the sender");
    }

    fn next(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed)
    }
}
