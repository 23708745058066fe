//! The services end to end: real processes on a real Redis, over the wire. A
//! module a command or subject, a test an outcome.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod complete_task;
mod fail_task;
mod inspect;
mod moves;
mod receive_work;
mod reject_task;
mod report_progress;
mod require_auth;
mod require_input;
mod send_message;
mod stage;
mod start_working;
mod update_artifact;
