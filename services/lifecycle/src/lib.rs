//! What a task may do, and what follows from it: pure decisions.
//!
//! No clock, no randomness, no I/O; the manifest of this crate proves it. The
//! callers read a task, ask [`transition`], and write what it decided.

pub mod delivery;
pub mod egress;
pub mod refusal;
pub mod state;
pub mod transition;

pub use refusal::Refusal;
pub use state::{Move, State};
pub use transition::{Rules, Task};
