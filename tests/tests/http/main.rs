//! Conformance: the requirements of A2A on each of its three bindings, and what
//! the bindings must have in common. Real processes, over the wire.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod asked;
mod conformance_agent;
mod core;
mod driver;
mod events;
mod push;
mod raw;
mod refused;
mod stage;
mod streaming;
