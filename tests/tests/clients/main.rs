//! Third-party clients against the running services: Python with the official
//! SDK, or with nothing but our `.proto` files. The scripts are in
//! `tests/clients`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what helps a test fails it by panicking"
)]

mod agent_worker;
mod http_clients;
mod python;
mod readme;
mod sdk_client;
mod stage;
mod verify_signatures;
mod webhook_receiver;
mod wire;
