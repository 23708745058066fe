#![allow(dead_code, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
mod stage;
#[path = "../e2e/complete_task.rs"] mod complete_task;
#[path = "../e2e/fail_task.rs"] mod fail_task;
#[path = "../e2e/moves.rs"] mod moves;
#[path = "../e2e/reject_task.rs"] mod reject_task;
#[path = "../e2e/report_progress.rs"] mod report_progress;
#[path = "../e2e/require_auth.rs"] mod require_auth;
#[path = "../e2e/require_input.rs"] mod require_input;
#[path = "../e2e/start_working.rs"] mod start_working;
#[path = "../e2e/update_artifact.rs"] mod update_artifact;
#[path = "../e2e/inspect.rs"] mod inspect;
#[path = "../e2e/bad_input/mod.rs"] mod bad_input;
#[path = "../e2e/replicas/mod.rs"] mod replicas;
#[path = "../e2e/receive_work/mod.rs"] mod receive_work;
