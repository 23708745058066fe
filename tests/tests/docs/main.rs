//! What the documents say is what the binaries do.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod readme;
