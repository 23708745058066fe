//! The one line on standard output, by which tools and tests learn the ports of a
//! process that was asked to listen on port 0.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::SocketAddr;

use serde_json::json;

/// Prints `{"ready":{"admin":"127.0.0.1:9090","grpc":"127.0.0.1:43211"}}`. Call it
/// once, when everything listens. Nothing else writes to standard output.
pub fn announce(listeners: &[(&str, SocketAddr)]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", line(listeners))?;
    out.flush()
}

fn line(listeners: &[(&str, SocketAddr)]) -> String {
    let listeners: BTreeMap<_, _> = listeners.iter().copied().collect();
    json!({ "ready": listeners }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_each_listener() {
        let grpc = "127.0.0.1:43211".parse().unwrap();
        let admin = "[::1]:9090".parse().unwrap();
        assert_eq!(
            line(&[("grpc", grpc), ("admin", admin)]),
            r#"{"ready":{"admin":"[::1]:9090","grpc":"127.0.0.1:43211"}}"#
        );
    }
}
