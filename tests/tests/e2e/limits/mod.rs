//! Every limit that a deployment sets: exact, whoever comes at the same instant,
//! and refused with its reason.

mod contexts;
mod counts;
mod deliveries;
mod media_types;
mod sizes;
mod streams;
