use a2a_proto::agent::{ReceiveWorkRequest, WorkItem, agent_service_client::AgentServiceClient};
use a2a_runtime::shutdown::Shutdown;
use tonic::{Status, Streaming, transport::Channel};
use tracing::info;

use super::{Script, Settings, jobs::Jobs};

/// From one connection to its end.
#[derive(Debug)]
pub(super) struct Session<'a> {
    client: AgentServiceClient<Channel>,
    settings: &'a Settings,
    script: Script,
    shutdown: &'a Shutdown,
}

/// How a session ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) reason: String,
    pub(super) was_connected: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        channel: Channel,
        settings: &'a Settings,
        script: Script,
        shutdown: &'a Shutdown,
    ) -> Self {
        Self { client: AgentServiceClient::new(channel), settings, script, shutdown }
    }

    /// Works until the stream ends or the process is to stop; hands back what
    /// is unfinished then.
    pub(super) async fn run(&self) -> Ended {
        let opened = tokio::select! {
            opened = self.open() => opened,
            () = self.shutdown.stopping() => return Ended::stopping(false),
        };
        match opened {
            Ok(items) => self.work(items).await,
            Err(status) => Ended { reason: reason(&status), was_connected: false },
        }
    }

    async fn open(&self) -> Result<Streaming<WorkItem>, Status> {
        let Settings { agent_addr: _, worker_name, max_leases } = self.settings;
        let request = ReceiveWorkRequest {
            tenants: Vec::new(),
            max_leases: *max_leases,
            worker_name: worker_name.clone(),
            // A session that ends releases what it held.
            held: Vec::new(),
        };
        let items = self.client.clone().receive_work(request).await?.into_inner();
        info!("receiving work");
        Ok(items)
    }

    async fn work(&self, mut items: Streaming<WorkItem>) -> Ended {
        let mut jobs = Jobs::new(self.script);
        let ended = loop {
            tokio::select! {
                () = self.shutdown.stopping() => break Ended::stopping(true),
                item = items.message() => match item {
                    Ok(Some(item)) => jobs.take(self.client.clone(), item),
                    Ok(None) => break Ended { reason: "the stream ended".to_owned(), was_connected: true },
                    Err(status) => break Ended { reason: reason(&status), was_connected: true },
                },
                () = jobs.settle() => {}
            }
        };
        jobs.release().await;
        ended
    }
}

impl Ended {
    fn stopping(was_connected: bool) -> Self {
        Self { reason: "stopping".to_owned(), was_connected }
    }
}

fn reason(status: &Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}
