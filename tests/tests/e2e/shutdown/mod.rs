//! How a replica ends: asked to, or killed.

mod kill;
mod term;
