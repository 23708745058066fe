//! What the documents say is what the binaries do.

mod settings_table;
