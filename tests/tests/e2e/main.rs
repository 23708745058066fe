//! The services end to end: real processes on a real Redis, over the wire. A
//! module a command or subject, a test an outcome.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod artifacts;
mod bad_input;
mod calls;
mod cancel_task;
mod cards;
mod complete_task;
mod create_task_push_notification_config;
mod delete_task_push_notification_config;
mod direct_message;
mod direct_reply;
mod fail_task;
mod get_extended_agent_card;
mod get_task;
mod get_task_push_notification_config;
mod history;
mod idempotency;
mod inspect;
mod limits;
mod list_task_push_notification_configs;
mod list_tasks;
mod model;
mod moves;
mod push;
mod receive_work;
mod reject_task;
mod replicas;
mod report_progress;
mod require_auth;
mod require_input;
mod resumption;
mod send_message;
mod send_streaming_message;
mod shutdown;
mod stage;
mod start_working;
mod startup;
mod subscribe_to_task;
mod timestamps;
mod update_artifact;
mod views;
