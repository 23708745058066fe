//! Conformance: the requirements of A2A on each of its three bindings, and what
//! the bindings must have in common. Real processes, over the wire.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod asked;
mod card;
mod conformance_agent;
mod core;
mod cors;
mod data_model;
mod driver;
mod equivalence;
mod events;
mod fan_out;
mod http_json;
mod json_rpc;
mod push;
mod raw;
mod refused;
mod resume;
mod sse;
mod stage;
mod streaming;
mod tenants;
mod transport;
mod versions;
