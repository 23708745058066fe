//! The A2A task service.
//!
//! The walk of a request: a door (`grpc`) reads the service parameters into a
//! [`call::Call`] and hands over to [`tasks::Tasks`] or [`agent::Agents`];
//! [`parse`] makes types of the input; `a2a-lifecycle` decides; `a2a-store`
//! writes; [`hub`] and [`follow`] carry every change to the streams. Refusals
//! and faults become wire errors in [`error`], once.

mod agent;
mod app;
mod call;
mod card;
mod change;
mod error;
mod follow;
mod grpc;
mod http;
mod hub;
mod janitor;
mod modes;
mod parse;
mod reseal;
mod revisions;
mod settings;
mod start;
mod tasks;

pub use settings::{Command, SIBLINGS, Settings};
pub use start::start;
