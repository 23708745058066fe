//! Delivers every event of a task to the webhooks that want it.
//!
//! The walk of a change: [`consume`] reads it from its shard's change stream and makes the lanes of its task
//! due; [`scheduler`] claims lanes that are due; [`lane`] takes one, and for each event behind its cursor asks
//! [`webhook`] to make an attempt and the lifecycle what follows from it. Where a lane stands is in Redis, so
//! any replica may die at any step: the lease of a lane that it held runs out, and another replica goes on.

pub mod admin_rpc;
pub mod attempt;
pub mod consume;
pub mod dispatcher;
pub mod gate;
pub mod health;
pub mod lane;
pub mod metrics;
pub mod process;
pub mod reason;
pub mod report;
pub mod schedule;
pub mod scheduler;
pub mod settings;
pub mod upkeep;
pub mod webhook;
