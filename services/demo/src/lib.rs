//! What `make run` shows: a sample agent, a webhook receiver, and everything
//! started together around one streamed task.
//!
//! The parts speak to the services over the wire only, as anybody's would.

pub mod agent;
pub mod conformance;
pub mod event;
pub mod receiver;
pub mod up;
