use std::{fs, io, net::SocketAddr, path::Path, time::Duration};

use futures::future::select_all;
use tokio::{process::Command, sync::mpsc};

use super::{Failure, Settings, commands, key_ring, part::Part, readiness, sample::Secrets};

pub(super) const REDIS: &str = "redis";
pub(super) const TASK_SERVICE: &str = "a2a-task-service";
pub(super) const DISPATCHER: &str = "a2a-dispatcher";
pub(super) const AGENT: &str = "a2a-demo-agent";
pub(super) const CONFORMANCE_AGENT: &str = "a2a-demo-conformance-agent";
pub(super) const RECEIVER: &str = "a2a-demo-receiver";

const READY_TIMEOUT: Duration = Duration::from_secs(30);

/// What was started, in that order.
#[derive(Debug, Default)]
pub(super) struct Stack {
    parts: Vec<Part>,
}

impl Stack {
    /// Starts everything; returns the lines of the receiver.
    pub(super) async fn start(
        &mut self,
        settings: &Settings,
        secrets: &Secrets,
    ) -> Result<mpsc::Receiver<String>, Failure> {
        let dir = data_dir(settings.data_dir())
            .map_err(|source| Failure::DataDir { path: settings.data_dir().to_owned(), source })?;
        let redis_url = match &settings.redis_url {
            Some(url) => url.clone(),
            None => self.redis(settings, &dir).await?,
        };
        let key_ring = settings.key_ring();
        key_ring::ensure(&key_ring).map_err(|source| Failure::DataDir { path: key_ring, source })?;
        self.service(settings, TASK_SERVICE, commands::task_service(settings, &redis_url)).await?;
        self.service(settings, DISPATCHER, commands::dispatcher(settings, &redis_url)).await?;
        let deliveries = self.service(settings, RECEIVER, commands::receiver(settings, secrets)).await?;
        let agent = if settings.conformance.is_some() { CONFORMANCE_AGENT } else { AGENT };
        self.parts.push(Part::spawn(agent, commands::agent(settings, agent), &settings.log(agent), true)?);
        println!("started  {agent}");
        self.await_redis(settings).await?;
        Ok(deliveries)
    }

    /// Resolves when a part ends by itself.
    pub(super) async fn first_exit(&mut self) -> Failure {
        select_all(self.parts.iter_mut().map(|part| Box::pin(part.exit()))).await.0
    }

    /// Stops the agent first, so that it can hand its work back, and Redis last.
    pub(super) async fn stop(&mut self, drain: Duration) {
        while let Some(part) = self.parts.pop() {
            let name = part.name;
            match part.stop(drain).await {
                Ok(status) => println!("stopped  {name} ({status})"),
                Err(error) => println!("stopped  {name} ({error})"),
            }
        }
    }

    async fn redis(&mut self, settings: &Settings, dir: &Path) -> Result<String, Failure> {
        let server = settings.redis_server.as_ref().ok_or(Failure::NoRedis)?;
        let port = settings.redis_port.or_else(commands::free_redis_port).ok_or(Failure::NoFreePort)?;
        let addr = SocketAddr::from(([127, 0, 0, 1], port));
        let mut part = Part::spawn(REDIS, commands::redis(server, dir, port), &settings.log(REDIS), true)?;
        let listens = tokio::select! {
            listens = readiness::listens(addr, READY_TIMEOUT) => listens,
            failure = part.exit() => return Err(failure),
        };
        if !listens {
            return Err(part.not_ready(READY_TIMEOUT));
        }
        println!("started  {REDIS} on {addr}");
        self.parts.push(part);
        Ok(format!("redis://{addr}/"))
    }

    /// Starts a part that says in its first line that it listens.
    async fn service(
        &mut self,
        settings: &Settings,
        name: &'static str,
        command: Command,
    ) -> Result<mpsc::Receiver<String>, Failure> {
        let mut part = Part::spawn(name, command, &settings.log(name), false)?;
        part.ready(READY_TIMEOUT).await?;
        println!("started  {name}");
        let lines = part.take_lines();
        self.parts.push(part);
        Ok(lines)
    }

    /// The services listen before they have reached Redis, and say so here.
    async fn await_redis(&mut self, settings: &Settings) -> Result<(), Failure> {
        for (name, admin) in [(TASK_SERVICE, settings.admin()), (DISPATCHER, settings.push_admin())] {
            let ready = tokio::select! {
                ready = readiness::is_ready(admin, READY_TIMEOUT) => ready,
                failure = self.first_exit() => return Err(failure),
            };
            if !ready {
                return Err(Failure::NotReady { name, waited: READY_TIMEOUT, log: settings.log(name) });
            }
        }
        Ok(())
    }
}

/// Makes the directory for data and logs; Redis wants its whole path.
fn data_dir(dir: &Path) -> io::Result<std::path::PathBuf> {
    fs::create_dir_all(dir.join("logs"))?;
    fs::canonicalize(dir)
}
