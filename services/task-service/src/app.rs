//! Putting the service together: listeners, the tail, and an orderly end.

use std::{io, time::Duration};

use a2a_lifecycle::Rules;
use a2a_proto::{
    DESCRIPTORS, a2a::a2a_service_server::A2aServiceServer, agent::agent_service_server::AgentServiceServer,
};
use a2a_runtime::{
    admin, clock,
    grpc::{BindError, Health, ReflectionError, bind, incoming, introspection},
    metrics::Registry,
    readiness::{Component, Readiness},
    ready_line,
    shutdown::Shutdown,
    telemetry::LogHandle,
};
use a2a_store::{Store, Tail};
use tokio::net::TcpListener;
use tonic::{service::Routes, transport::Server};
use tower::util::MapResponseLayer;

use crate::{
    agent::{Agents, Terms},
    card::{self, BadCards, Served, Sources, Watched},
    grpc::{AgentDoor, ClientDoor, explain},
    http::{self, BadJwks, BadOrigin, HttpDoor, Jwks},
    hub::Hub,
    janitor::{self, Retention},
    parse::Bounds,
    settings::{LateArtifacts, Settings, TaskCreation, UnknownContexts},
    tasks::{Policy, Tasks},
};

const CLIENT_SERVICE: &str = "lf.a2a.v1.A2AService";
const AGENT_SERVICE: &str = "a2a.agent.v1.AgentService";

/// Pauses of the tail and of the first check of Redis while it is away.
const BACK_OFF_FIRST: Duration = Duration::from_millis(50);
const BACK_OFF_CAP: Duration = Duration::from_secs(2);

/// Why the service did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The agent cards.
    #[error("the agent cards cannot be served")]
    Cards(#[from] BadCards),
    /// Redis cannot be used as it is.
    #[error(transparent)]
    Store(#[from] a2a_store::StartError),
    /// An address cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The descriptors are broken.
    #[error(transparent)]
    Reflection(#[from] ReflectionError),
    /// The keys of webhook requests.
    #[error(transparent)]
    Jwks(#[from] BadJwks),
    /// An origin of the CORS setting.
    #[error(transparent)]
    Origin(#[from] BadOrigin),
    /// The ready line could not be printed.
    #[error("cannot print the ready line")]
    Announce(#[source] io::Error),
    /// A server failed.
    #[error("a server failed")]
    Serve(#[from] tonic::transport::Error),
}

/// Runs the service until it is told to stop.
pub async fn run(settings: Settings, log: LogHandle, shutdown: Shutdown) -> Result<(), StartError> {
    let store = Store::open(&settings.store)?;
    let readiness = Readiness::new(shutdown.clone());
    let redis = readiness.component("redis");
    let (clients, client_addr) = bind(settings.grpc_addr).await?;
    let (agents, agent_addr) = bind(settings.agent_grpc_addr).await?;
    let (http, http_addr) = bind(settings.http_addr).await?;
    let (admin_listener, admin_addr) = bind(settings.admin.admin_addr).await?;
    let hub = Hub::new();
    let services =
        services(&settings, &store, &hub, Served { grpc: client_addr, http: http_addr }, &shutdown)?;
    let registry = Registry::build("a2a-task-service", env!("CARGO_PKG_VERSION"), |_| {});
    let admin = admin::Admin { readiness: readiness.clone(), registry, log };
    tokio::spawn(admin::serve(admin_listener, admin));
    let listening =
        [("grpc", client_addr), ("agent_grpc", agent_addr), ("http", http_addr), ("admin", admin_addr)];
    ready_line::announce(&listening).map_err(StartError::Announce)?;

    let max_bytes = settings.limits.max_request_bytes;
    let http_routes =
        http::router(http_door(&settings, services.tasks.clone())?, &settings.cors_allow_origin)?;
    let missing_version = settings.grpc_version_when_missing.clone();
    let client_service = A2aServiceServer::new(ClientDoor { tasks: services.tasks, missing_version })
        .max_decoding_message_size(max_bytes)
        .max_encoding_message_size(usize::MAX);
    let agent_service = AgentServiceServer::new(AgentDoor { agents: services.agents })
        .max_decoding_message_size(max_bytes)
        .max_encoding_message_size(usize::MAX);
    let (client_routes, client_health) = introspection(DESCRIPTORS, &[CLIENT_SERVICE]).await?;
    let (agent_routes, agent_health) = introspection(DESCRIPTORS, &[AGENT_SERVICE]).await?;
    follow_health([client_health, agent_health], &readiness);

    let card_poll = Duration::from_millis(settings.card_poll_ms);
    tokio::spawn(card::watch(services.watched, card_poll, shutdown.clone()));
    shutdown.exit_after(Duration::from_millis(settings.drain_ms));
    tokio::spawn(janitor::run(store.clone(), retention(&settings), shutdown.clone()));
    let tail = tokio::spawn(follow_changes(store.clone(), hub, redis, shutdown.clone()));
    tokio::try_join!(
        serve(clients, client_routes.add_service(client_service), &shutdown),
        serve(agents, agent_routes.add_service(agent_service), &shutdown),
        serve(http, Routes::from(http_routes), &shutdown),
        async { tail.await.unwrap_or(Ok(())).map_err(StartError::from) },
    )?;
    Ok(())
}

fn http_door(settings: &Settings, tasks: Tasks) -> Result<HttpDoor, BadJwks> {
    Ok(HttpDoor {
        tasks,
        missing_version: settings.http_version_when_missing.as_str().into(),
        max_request_bytes: settings.limits.max_request_bytes,
        jwks: Jwks::load(settings.webhook_jwks.as_deref())?,
        body_timeout: Duration::from_millis(settings.http_body_timeout_ms),
        keep_alive: Duration::from_millis(settings.sse_keep_alive_ms),
    })
}

struct Services {
    tasks: Tasks,
    agents: Agents,
    watched: Watched,
}

fn services(
    settings: &Settings,
    store: &Store,
    hub: &Hub,
    served: Served,
    shutdown: &Shutdown,
) -> Result<Services, StartError> {
    let (cards, watched) = card_sources(settings, served)?.open()?;
    let tasks = Tasks::new(store.clone(), hub.clone(), cards, policy(settings), shutdown.token());
    let terms = Terms {
        lease_ms: settings.work_lease_ms,
        max_leases: settings.work_max_leases,
        max_deliveries: settings.work_max_deliveries,
    };
    Ok(Services { agents: Agents::new(tasks.clone(), terms), tasks, watched })
}

fn card_sources(settings: &Settings, served: Served) -> Result<Sources, BadCards> {
    Sources::new(
        settings.agent_card.as_deref(),
        settings.extended_agent_card.as_deref(),
        settings.agent_cards.as_deref(),
        settings.card_signing_key.as_deref(),
        served,
        clock::now(),
    )
}

fn policy(settings: &Settings) -> Policy {
    let limits = &settings.limits;
    let wait_ms = settings.max_blocking_wait_ms;
    Policy {
        rules: Rules {
            max_history_messages: limits.max_history_messages,
            late_artifacts: settings.late_artifacts == LateArtifacts::Accept,
        },
        egress: settings.webhooks.clone().policy(),
        bounds: Bounds {
            max_parts: limits.max_parts,
            max_part_bytes: limits.max_part_bytes,
            max_message_bytes: limits.max_message_bytes,
            max_metadata_bytes: limits.max_metadata_bytes,
        },
        max_push_configs: limits.max_push_configs,
        max_blocking_wait: (wait_ms > 0).then(|| Duration::from_millis(wait_ms)),
        direct_replies: (settings.task_creation == TaskCreation::AgentDecides)
            .then(|| Duration::from_millis(settings.direct_reply_wait_ms)),
        accepts_unknown_contexts: settings.unknown_contexts == UnknownContexts::Accept,
        max_tasks_per_tenant: limits.max_tasks_per_tenant,
        max_streams_per_caller: limits.max_streams_per_caller,
        idempotency_ms: settings.idempotency_ms,
        message_id_is_idempotency_key: settings.message_id_is_idempotency_key,
    }
}

fn retention(settings: &Settings) -> Retention {
    let kept = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
    Retention {
        tasks: kept(settings.task_retention_ms),
        dead_letters: kept(settings.dead_letter_retention_ms),
    }
}

fn follow_health(health: [Health; 2], readiness: &Readiness) {
    for health in health {
        tokio::spawn(health.follow(readiness.clone()));
    }
}

async fn serve(listener: TcpListener, routes: Routes, shutdown: &Shutdown) -> Result<(), StartError> {
    let server = Server::builder()
        .layer(MapResponseLayer::new(explain))
        .accept_http1(true)
        .tcp_nodelay(true)
        .add_routes(routes);
    Ok(server.serve_with_incoming_shutdown(incoming(listener), shutdown.stopping()).await?)
}

/// Checks Redis, then hands every change to the hub, for as long as the service
/// runs. Redis may come and go; one that must not be used ends the service.
async fn follow_changes(
    store: Store,
    hub: Hub,
    redis: Component,
    shutdown: Shutdown,
) -> Result<(), a2a_store::StartError> {
    let follow = async {
        verify(&store).await.inspect_err(|_| shutdown.trigger())?;
        let mut tail = store.tail();
        let mut back_off = None;
        loop {
            match next_changes(&mut tail, &hub, &redis).await {
                // Not before Redis is back: a reader that looks while it is away
                // ends its stream for nothing.
                Ok(()) if back_off.take().is_some() => hub.catch_up(),
                Ok(()) => {}
                Err(fault) => {
                    redis.set(false);
                    tracing::warn!(error = %fault.chain(), "the change streams cannot be read; trying again");
                    let pause =
                        back_off.map_or(BACK_OFF_FIRST, |last: Duration| (last * 2).min(BACK_OFF_CAP));
                    clock::pause(pause).await;
                    back_off = Some(pause);
                }
            }
        }
    };
    tokio::select! {
        () = shutdown.stopping() => Ok(()),
        outcome = follow => outcome,
    }
}

async fn next_changes(tail: &mut Tail, hub: &Hub, redis: &Component) -> Result<(), a2a_store::Fault> {
    if tail.start().await? {
        // Streams may have begun before the tail knew its place.
        hub.catch_up();
    }
    redis.set(true);
    for change in tail.next().await? {
        hub.publish(change);
    }
    Ok(())
}

/// Waits for Redis as long as it takes, and refuses one that cannot be used.
async fn verify(store: &Store) -> Result<(), a2a_store::StartError> {
    loop {
        match store.verify().await {
            Err(a2a_store::StartError::Fault(fault)) if fault.is_transient() => {
                tracing::warn!(error = %fault.chain(), "redis is not there yet; trying again");
                clock::pause(BACK_OFF_CAP).await;
            }
            outcome => return outcome,
        }
    }
}
