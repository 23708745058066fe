use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Parser;

use super::Failure;

/// Starts everything, shows one streamed task and its webhook, and stays up.
#[derive(Debug, Clone, Parser)]
#[command(version)]
pub struct Settings {
    /// A running Redis; without it one is started.
    #[arg(long, env = "REDIS_URL", hide_env_values = true, value_name = "URL")]
    pub(super) redis_url: Option<String>,
    /// The redis-server or valkey-server to start.
    #[arg(long, env = "A2A_DEV_REDIS_SERVER", value_name = "PATH")]
    pub(super) redis_server: Option<PathBuf>,
    /// Its port; without one any free port.
    #[arg(long, env = "DEMO_REDIS_PORT", value_name = "PORT")]
    pub(super) redis_port: Option<u16>,
    /// Where Redis keeps its data, and the logs are.
    #[arg(long, env = "DEMO_DATA_DIR", default_value = "./data", value_name = "DIR")]
    data_dir: PathBuf,
    /// The task service for clients.
    #[arg(long, env = "DEMO_GRPC_PORT", default_value_t = 50051, value_name = "PORT")]
    grpc_port: u16,
    /// The task service for agents.
    #[arg(long, env = "DEMO_AGENT_GRPC_PORT", default_value_t = 50052, value_name = "PORT")]
    agent_grpc_port: u16,
    /// The task service for clients over HTTP.
    #[arg(long, env = "DEMO_HTTP_PORT", default_value_t = 8080, value_name = "PORT")]
    http_port: u16,
    /// The dispatcher for operators.
    #[arg(long, env = "DEMO_PUSH_GRPC_PORT", default_value_t = 50053, value_name = "PORT")]
    push_grpc_port: u16,
    /// Health and metrics of the task service.
    #[arg(long, env = "DEMO_ADMIN_PORT", default_value_t = 9090, value_name = "PORT")]
    admin_port: u16,
    /// Health and metrics of the dispatcher.
    #[arg(long, env = "DEMO_PUSH_ADMIN_PORT", default_value_t = 9091, value_name = "PORT")]
    push_admin_port: u16,
    /// The webhook receiver.
    #[arg(long, env = "DEMO_RECEIVER_PORT", default_value_t = 8099, value_name = "PORT")]
    receiver_port: u16,
    /// How long each part may take to stop before it is killed, in milliseconds.
    #[arg(long, env = "DEMO_DRAIN_MS", default_value_t = 10_000, value_name = "MS")]
    drain_ms: u64,
    /// How long each step of the sample may take, in milliseconds.
    #[arg(long, env = "DEMO_STEP_TIMEOUT_MS", default_value_t = 30_000, value_name = "MS")]
    step_timeout_ms: u64,
    /// End after the sample: status 0 if it went well, 1 if not.
    #[arg(long)]
    pub(super) once: bool,
    /// Serve this agent card, with the agent of the conformance suite behind it, in place of the sample.
    #[arg(long, value_name = "CARD", conflicts_with = "once")]
    pub(super) conformance: Option<PathBuf>,
}

/// A place to listen, and how to change it.
struct Door {
    port: u16,
    what: &'static str,
    flag: &'static str,
    variable: &'static str,
}

impl Settings {
    pub(super) fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }

    pub(super) fn step_timeout(&self) -> Duration {
        Duration::from_millis(self.step_timeout_ms)
    }

    pub(super) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.data_dir.join("logs").join(format!("{name}.log"))
    }

    pub(super) fn key_ring(&self) -> PathBuf {
        self.data_dir.join("key-ring")
    }

    pub(super) fn grpc(&self) -> SocketAddr {
        loopback(self.grpc_port)
    }

    pub(super) fn agent_grpc(&self) -> SocketAddr {
        loopback(self.agent_grpc_port)
    }

    pub(super) fn http(&self) -> SocketAddr {
        loopback(self.http_port)
    }

    pub(super) fn push_grpc(&self) -> SocketAddr {
        loopback(self.push_grpc_port)
    }

    pub(super) fn admin(&self) -> SocketAddr {
        loopback(self.admin_port)
    }

    pub(super) fn push_admin(&self) -> SocketAddr {
        loopback(self.push_admin_port)
    }

    pub(super) fn receiver(&self) -> SocketAddr {
        loopback(self.receiver_port)
    }

    /// Before anything is started: a taken port is best told by its own name.
    pub(super) fn check_ports(&self) -> Result<(), Failure> {
        let taken = self.doors().into_iter().find(|door| TcpListener::bind(loopback(door.port)).is_err());
        taken.map_or(Ok(()), |Door { port, what, flag, variable }| {
            Err(Failure::PortTaken { port, what, flag, variable })
        })
    }

    /// What there is to use, and a call to begin with.
    pub(super) fn invitation(&self) -> String {
        let mut lines = vec!["\nUp, until Ctrl-C:".to_owned()];
        lines.extend(self.doors().iter().map(|door| format!("  127.0.0.1:{:<6} {}", door.port, door.what)));
        lines.push(format!("  {:<16} logs", self.data_dir.join("logs").display()));
        lines.push("\nTry, for one:".to_owned());
        lines.push(format!(
            "  grpcurl -plaintext -d '{{\"message\":{{\"messageId\":\"m1\",\"role\":\"ROLE_USER\",\
             \"parts\":[{{\"text\":\"Hello there\"}}]}}}}' {} lf.a2a.v1.A2AService/SendStreamingMessage\n",
            self.grpc()
        ));
        lines.join("\n")
    }

    fn doors(&self) -> [Door; 7] {
        let door = |port, what, flag, variable| Door { port, what, flag, variable };
        [
            door(self.grpc_port, "task service: gRPC for clients", "grpc-port", "DEMO_GRPC_PORT"),
            door(
                self.agent_grpc_port,
                "task service: gRPC for agents",
                "agent-grpc-port",
                "DEMO_AGENT_GRPC_PORT",
            ),
            door(self.http_port, "task service: HTTP, and the agent card", "http-port", "DEMO_HTTP_PORT"),
            door(self.admin_port, "task service: health and metrics", "admin-port", "DEMO_ADMIN_PORT"),
            door(
                self.push_grpc_port,
                "dispatcher: gRPC for operators",
                "push-grpc-port",
                "DEMO_PUSH_GRPC_PORT",
            ),
            door(
                self.push_admin_port,
                "dispatcher: health and metrics",
                "push-admin-port",
                "DEMO_PUSH_ADMIN_PORT",
            ),
            door(self.receiver_port, "sample webhook receiver", "receiver-port", "DEMO_RECEIVER_PORT"),
        ]
    }
}

fn loopback(port: u16) -> SocketAddr {
    ([127, 0, 0, 1], port).into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_taken_port_is_told_with_its_flag_and_variable() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let settings = Settings::parse_from(["up", "--grpc-port", &port.to_string()]);
        let failure = settings.check_ports().unwrap_err().to_string();
        let expected = format!(
            "port {port} (task service: gRPC for clients) is taken: stop what listens there, \
             or choose another port with --grpc-port or DEMO_GRPC_PORT"
        );
        assert_eq!(failure, expected);
    }

    #[test]
    fn each_door_names_a_flag_and_a_variable_that_exist() {
        let command = Settings::command();
        for door in Settings::parse_from(["up"]).doors() {
            let flag = command.get_arguments().find(|flag| flag.get_long() == Some(door.flag)).unwrap();
            assert_eq!(flag.get_env(), Some(door.variable.as_ref()));
        }
    }
}
