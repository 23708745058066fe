//! What the binaries share that is neither Redis nor protocol: the clock, settings,
//! shutdown, telemetry and the admin endpoint.
//!
//! A `main` reads, in this order: [`settings::parse`], [`tls::install_crypto_provider`],
//! [`telemetry::init`], [`panic::install_hook`], [`shutdown::Shutdown::install`], then
//! binds its listeners, serves, and calls [`ready_line::announce`].

pub mod admin;
pub mod clock;
pub mod error_chain;
pub mod grpc;
pub mod metrics;
pub mod panic;
pub mod random;
pub mod readiness;
pub mod ready_line;
pub mod settings;
pub mod shutdown;
pub mod telemetry;
pub mod tls;
pub mod tool;
pub mod trace;
pub mod webhook_key;
pub mod webhooks;
