//! The services end to end: real processes on a real Redis, over the wire. A
//! module a command or subject, a test an outcome.

mod send_message;
mod stage;
