//! The harness: real Redis servers, the real binaries, a webhook receiver that
//! misbehaves on demand, and the books that show whether anything was lost.
//!
//! Everything here speaks to the services over the wire only. Waiting is done on
//! events; the one bounded poll, for state that no event announces, is [`until`].
//! A harness fails its test by panicking, so panics are allowed in this crate.
#![allow(clippy::expect_used, clippy::panic, reason = "a harness fails its test by panicking")]

pub mod clients;
pub mod fingerprint;
pub mod ledger;
mod logs;
mod ports;
pub mod process;
pub mod receiver;
pub mod redis;
pub mod seed;
mod signal;
mod until;

pub use until::until;
