//! The services under faults: real processes and a real Redis, killed, stopped
//! and starved at random moments, with exact books of what must survive. Each
//! module runs in a short form; `A2A_CHAOS=full` runs them at full size. Every
//! random choice follows from a seed that is printed: `A2A_SEED` replays it.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod books;
mod calls;
mod deliveries_survive;
mod dispatcher_storm;
mod doors;
mod drive;
mod gist;
mod interrupted;
mod logs;
mod machine;
mod moments;
mod redis_trouble;
mod size;
mod slow_neighbour;
mod tasks_survive;
mod walk;
mod workers_die;
