//! The settings of the task service.

use std::{net::SocketAddr, path::PathBuf};

use a2a_runtime::{
    admin::AdminSettings,
    settings::{at_least, between},
    telemetry::TelemetrySettings,
    webhooks::WebhookSettings,
};
use a2a_store::StoreSettings;

/// Settings of the dispatcher that may stand in the same environment.
pub const SIBLINGS: &[&str] = &[
    "A2A_PUSH_LEASE_MS",
    "A2A_WEBHOOK_TIMEOUT_MS",
    "A2A_RETRY_BASE_MS",
    "A2A_RETRY_CAP_MS",
    "A2A_RETRY_MAX_ATTEMPTS",
    "A2A_RETRY_MAX_AGE_MS",
    "A2A_RETRY_AFTER_CAP_MS",
    "A2A_MAX_CONCURRENT_DELIVERIES",
    "A2A_MAX_CONCURRENT_PER_ORIGIN",
    "A2A_MAX_CONCURRENT_RETRIES",
    "A2A_BREAKER_FAILURES",
    "A2A_BREAKER_OPEN_MS",
    "A2A_BREAKER_OPEN_CAP_MS",
    "A2A_POISON_DEATHS",
    "A2A_WEBHOOK_SIGNING_SECRETS",
    "A2A_WEBHOOK_SIGNING_SCOPE",
    "A2A_WEBHOOK_JWT_KEY",
    "A2A_WEBHOOK_JWT_ISSUER",
    "A2A_EGRESS_PROXY",
    "A2A_EGRESS_PROXY_TRUST",
    "A2A_DISABLE_AFTER_EXHAUSTED",
    "A2A_WEBHOOK_CONTENT_TYPE",
    "A2A_WEBHOOK_CA_FILE",
    "A2A_MAX_DEAD_LETTERS",
    "A2A_CHANGE_RETENTION_MS",
    "A2A_WORKER_NAME",
];

/// The A2A task service: owns the lifecycle of tasks in Redis.
#[derive(Clone, Debug, clap::Parser)]
#[command(name = "a2a-task-service", version, about, max_term_width = 100)]
pub struct Settings {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Where clients call the A2A protocol over gRPC
    #[arg(long, env = "A2A_GRPC_ADDR", default_value = "127.0.0.1:50051", value_name = "IP:PORT")]
    pub grpc_addr: SocketAddr,

    /// Where agent workers call; keep it away from clients
    #[arg(long, env = "A2A_AGENT_GRPC_ADDR", default_value = "127.0.0.1:50052", value_name = "IP:PORT")]
    pub agent_grpc_addr: SocketAddr,

    /// Where clients call over HTTP: JSON-RPC, HTTP+JSON and the agent card
    #[arg(long, env = "A2A_HTTP_ADDR", default_value = "127.0.0.1:8080", value_name = "IP:PORT")]
    pub http_addr: SocketAddr,

    /// The A2A version that a gRPC call without one is taken for
    #[arg(long, env = "A2A_GRPC_VERSION_WHEN_MISSING", default_value = "1.0", value_name = "VERSION")]
    pub grpc_version_when_missing: String,

    /// The A2A version that an HTTP call without one is taken for (A2A section 3.6.2 says 0.3, which is refused)
    #[arg(long, env = "A2A_HTTP_VERSION_WHEN_MISSING", default_value = "0.3", value_name = "VERSION")]
    pub http_version_when_missing: String,

    /// Origins whose pages may call over HTTP, comma separated; * for all (CORS)
    #[arg(long, env = "A2A_CORS_ALLOW_ORIGIN", value_delimiter = ',', value_name = "ORIGIN")]
    pub cors_allow_origin: Vec<String>,

    /// Longest wait for the body of an HTTP request, ms
    #[arg(long, env = "A2A_HTTP_BODY_TIMEOUT_MS", default_value_t = 30_000, value_parser = between(100_u64, 600_000))]
    pub http_body_timeout_ms: u64,

    /// How often a silent SSE stream says that it lives, ms
    #[arg(long, env = "A2A_SSE_KEEP_ALIVE_MS", default_value_t = 15_000, value_parser = between(10_u64, 3_600_000))]
    pub sse_keep_alive_ms: u64,

    #[command(flatten)]
    pub admin: AdminSettings,

    #[command(flatten)]
    pub store: StoreSettings,

    #[command(flatten)]
    pub telemetry: TelemetrySettings,

    /// The agent card, JSON or YAML (A2A section 8); a sample card without it
    #[arg(long, env = "A2A_AGENT_CARD", value_name = "FILE")]
    pub agent_card: Option<PathBuf>,

    /// Keys of webhook requests, P-256 in PEM, whose public halves are served at /.well-known/jwks.json
    #[arg(long, env = "A2A_WEBHOOK_JWKS", value_name = "FILE")]
    pub webhook_jwks: Option<PathBuf>,

    /// The card for GetExtendedAgentCard, JSON or YAML; for a card that declares extendedAgentCard
    #[arg(long, env = "A2A_EXTENDED_AGENT_CARD", value_name = "FILE")]
    pub extended_agent_card: Option<PathBuf>,

    /// Folder with the cards of tenants that have one of their own: TENANT.json or TENANT.yaml
    #[arg(long, env = "A2A_AGENT_CARDS", value_name = "DIR")]
    pub agent_cards: Option<PathBuf>,

    /// The P-256 private key, PEM, that signs the cards (A2A section 8.4); unsigned without it
    #[arg(long, env = "A2A_CARD_SIGNING_KEY", value_name = "FILE")]
    pub card_signing_key: Option<PathBuf>,

    /// How often the files of the cards are looked at for changes, ms; SIGHUP looks at once
    #[arg(long, env = "A2A_CARD_POLL_MS", default_value_t = 2_000, value_parser = between(10_u64, 86_400_000))]
    pub card_poll_ms: u64,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub webhooks: WebhookSettings,

    /// How long a worker that says nothing keeps its work, ms
    #[arg(long, env = "A2A_WORK_LEASE_MS", default_value_t = 30_000, value_parser = between(500_u64, 86_400_000))]
    pub work_lease_ms: u64,

    /// Most tasks a worker's stream holds at once unless it asks for fewer
    #[arg(long, env = "A2A_WORK_MAX_LEASES", default_value_t = 16, value_parser = between(1_usize, 10_000))]
    pub work_max_leases: usize,

    /// Longest wait of a blocking send, ms; then the task is answered as it stands; 0 waits as long as the caller
    #[arg(long, env = "A2A_MAX_BLOCKING_WAIT_MS", default_value_t = 0)]
    pub max_blocking_wait_ms: u64,

    /// Times a task is handed out before it is failed: each worker that had it died
    #[arg(long, env = "A2A_WORK_MAX_DELIVERIES", default_value_t = 5, value_parser = between(1_i32, 1_000_000))]
    pub work_max_deliveries: i32,

    /// Whether a message always makes a task, or its agent may answer it with a message instead
    #[arg(long, env = "A2A_TASK_CREATION", default_value = "always")]
    pub task_creation: TaskCreation,

    /// How long a send that returns immediately waits for its agent to answer with a message, ms
    #[arg(long, env = "A2A_DIRECT_REPLY_WAIT_MS", default_value_t = 500, value_parser = between(0_u64, 600_000))]
    pub direct_reply_wait_ms: u64,

    /// Whether a message may name a context that has no task yet
    #[arg(long, env = "A2A_UNKNOWN_CONTEXTS", default_value = "accept")]
    pub unknown_contexts: UnknownContexts,

    /// How long an idempotency key is remembered, ms
    #[arg(long, env = "A2A_IDEMPOTENCY_MS", default_value_t = 86_400_000, value_parser = between(1_000_u64, 2_592_000_000))]
    pub idempotency_ms: u64,

    /// Take the id of a message as its idempotency key where none is given
    #[arg(long, env = "A2A_MESSAGE_ID_IS_IDEMPOTENCY_KEY", value_name = "BOOL", default_value_t = false, default_missing_value = "true", num_args = 0..=1, action = clap::ArgAction::Set)]
    pub message_id_is_idempotency_key: bool,

    /// What happens to artifacts of a task that has ended
    #[arg(long, env = "A2A_LATE_ARTIFACTS", default_value = "refuse")]
    pub late_artifacts: LateArtifacts,

    /// How long a task is kept after its end, ms; 0 keeps it for ever
    #[arg(long, env = "A2A_TASK_RETENTION_MS", default_value_t = 604_800_000)]
    pub task_retention_ms: u64,

    /// How long dead letters are kept, ms; 0 keeps them for ever
    #[arg(long, env = "A2A_DEAD_LETTER_RETENTION_MS", default_value_t = 2_592_000_000)]
    pub dead_letter_retention_ms: u64,

    /// How long calls and streams may take to end after SIGTERM, ms
    #[arg(long, env = "A2A_DRAIN_MS", default_value_t = 10_000, value_parser = at_least(0_u64))]
    pub drain_ms: u64,
}

/// What to do in place of serving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Subcommand)]
pub enum Command {
    /// Seal every webhook's secrets with the first key of the ring, while services run
    Reseal,
}

/// Artifacts of a task that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LateArtifacts {
    /// Refused with the state.
    Refuse,
    /// Taken.
    Accept,
}

/// When a message makes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TaskCreation {
    /// At once.
    Always,
    /// When its agent makes a move; it may answer with a message instead.
    AgentDecides,
}

/// Contexts that have no task yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum UnknownContexts {
    /// Begin with the message that names them.
    Accept,
    /// Refused.
    Refuse,
}

/// How much of everything is taken.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub struct Limits {
    /// Largest request, bytes
    #[arg(long, env = "A2A_MAX_REQUEST_BYTES", default_value_t = 8_388_608, value_parser = between(1_024_usize, 268_435_456))]
    pub max_request_bytes: usize,

    /// Most parts of a message or artifact chunk
    #[arg(long, env = "A2A_MAX_PARTS", default_value_t = 1_000, value_parser = between(1_usize, 1_000_000))]
    pub max_parts: usize,

    /// Largest part of a message or artifact chunk, bytes
    #[arg(long, env = "A2A_MAX_PART_BYTES", default_value_t = 4_194_304, value_parser = between(1_usize, 268_435_456))]
    pub max_part_bytes: usize,

    /// Largest message or artifact chunk, bytes
    #[arg(long, env = "A2A_MAX_MESSAGE_BYTES", default_value_t = 6_291_456, value_parser = between(1_usize, 268_435_456))]
    pub max_message_bytes: usize,

    /// Largest metadata of anything, bytes
    #[arg(long, env = "A2A_MAX_METADATA_BYTES", default_value_t = 65_536, value_parser = between(0_usize, 268_435_456))]
    pub max_metadata_bytes: usize,

    /// Most tasks of a tenant, finished ones included; 0 is no limit
    #[arg(long, env = "A2A_MAX_TASKS_PER_TENANT", default_value_t = 0)]
    pub max_tasks_per_tenant: u64,

    /// Most open streams of a caller on one replica; 0 is no limit
    #[arg(long, env = "A2A_MAX_STREAMS_PER_CALLER", default_value_t = 0)]
    pub max_streams_per_caller: usize,

    /// Most messages in a task's history
    #[arg(long, env = "A2A_MAX_HISTORY_MESSAGES", default_value_t = 1_000, value_parser = between(1_usize, 1_000_000))]
    pub max_history_messages: usize,

    /// Most push notification configs of a task
    #[arg(long, env = "A2A_MAX_PUSH_CONFIGS", default_value_t = 16, value_parser = between(1_usize, 10_000))]
    pub max_push_configs: usize,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;

    #[test]
    fn the_command_is_well_formed() {
        Settings::command().debug_assert();
    }

    #[test]
    fn the_defaults_parse() {
        let settings = Settings::try_parse_from(["a2a-task-service"]).unwrap();
        assert!(!settings.webhooks.allow_http);
        let settings = Settings::try_parse_from([
            "x",
            "--allow-webhook-http",
            "--allow-webhook-cidr",
            "127.0.0.0/8,::1",
        ]);
        let webhooks = settings.unwrap().webhooks;
        assert!(webhooks.allow_http);
        assert_eq!(webhooks.allow.len(), 2);
    }
}
