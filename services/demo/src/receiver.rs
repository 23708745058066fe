//! A webhook receiver as a client of the product would write one.

mod delivery;
mod expected;
mod seen;

use std::{io, net::SocketAddr, sync::Arc};

use a2a_proto::json;
use a2a_runtime::{error_chain::describe, ready_line, shutdown::Shutdown};
use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode},
    routing::post,
};
use clap::{Parser, ValueEnum};
use tokio::{net::TcpListener, sync::Mutex};

pub use self::delivery::{BadLine, Checks, Delivery};
use self::{expected::Expected, seen::Seen};

const BODY_BYTES_MAX: usize = 16 << 20;

/// A webhook receiver: checks who calls, and prints each event on a line.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Settings {
    /// Where it listens; port 0 takes a free one.
    #[arg(long, env = "DEMO_RECEIVER_ADDR", default_value = "127.0.0.1:8099", value_name = "HOST:PORT")]
    addr: SocketAddr,
    /// The token of the push notification config.
    #[arg(long, env = "DEMO_TOKEN", hide_env_values = true)]
    token: String,
    /// The authentication scheme of the config.
    #[arg(long, env = "DEMO_SCHEME", default_value = "Bearer")]
    scheme: String,
    /// The credentials of the config.
    #[arg(long, env = "DEMO_CREDENTIALS", hide_env_values = true)]
    credentials: String,
    /// How an event is printed.
    #[arg(long, env = "DEMO_FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

struct Receiver {
    expected: Expected,
    format: Format,
    seen: Mutex<Seen>,
}

/// Says in a line of JSON where it listens, then serves until asked to stop.
///
/// # Errors
/// When it cannot listen.
pub async fn run(settings: Settings, shutdown: &Shutdown) -> io::Result<()> {
    let Settings { addr, token, scheme, credentials, format } = settings;
    let listener = TcpListener::bind(addr).await?;
    let receiver =
        Receiver { expected: Expected::new(&scheme, &credentials, &token), format, seen: Mutex::default() };
    ready_line::announce(&[("http", listener.local_addr()?)])?;
    let token = shutdown.token();
    axum::serve(listener, router(receiver)).with_graceful_shutdown(token.cancelled_owned()).await
}

fn router(receiver: Receiver) -> Router {
    Router::new()
        .route("/{*path}", post(receive))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(Arc::new(receiver))
}

async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let event = match json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => {
            eprintln!("{}", describe(&error));
            return StatusCode::BAD_REQUEST;
        }
    };
    receiver.answer(&Delivery::new(&headers, receiver.expected.check(&headers), event)).await
}

impl Receiver {
    /// A retry of what was printed already is accepted in silence.
    async fn answer(&self, delivery: &Delivery) -> StatusCode {
        let authentic = delivery.checks.all();
        if !authentic || self.seen.lock().await.is_new(&delivery.webhook_id) {
            self.print(delivery);
        }
        if authentic { StatusCode::OK } else { StatusCode::UNAUTHORIZED }
    }

    fn print(&self, delivery: &Delivery) {
        match self.format {
            Format::Text => println!("{delivery}"),
            Format::Json => match delivery.to_line() {
                Ok(line) => println!("{line}"),
                Err(error) => eprintln!("{}", describe(&error)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}"#;

    async fn answer(authorization: &'static str, body: &'static str) -> StatusCode {
        let expected = Expected::new("bearer", "secret", "token");
        let receiver = Receiver { expected, format: Format::Json, seen: Mutex::default() };
        let headers = HeaderMap::from_iter(
            [
                ("authorization", authorization),
                ("x-a2a-notification-token", "token"),
                ("a2a-notification-token", "token"),
            ]
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())),
        );
        receive(State(Arc::new(receiver)), headers, Bytes::from_static(body.as_bytes())).await
    }

    #[tokio::test]
    async fn only_the_right_caller_with_an_event_is_accepted() {
        assert_eq!(answer("Bearer secret", EVENT).await, StatusCode::OK);
        assert_eq!(answer("Bearer guess", EVENT).await, StatusCode::UNAUTHORIZED);
        assert_eq!(answer("Bearer secret", "hello").await, StatusCode::BAD_REQUEST);
    }
}
