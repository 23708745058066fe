//! What the documents say is what the binaries do.

mod readme;
