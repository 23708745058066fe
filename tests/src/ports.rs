//! Ports to listen on.

use std::{collections::BTreeSet, net::TcpListener, ops::Range};

use parking_lot::Mutex;

/// Below the range from which the system takes the local ports of outgoing
/// connections: there, a client that dials a dead server may be given the
/// server's own port, and a restarted server finds it taken.
const RANGE: Range<u16> = 15_000..32_000;
const TRIES: usize = 200;

static HANDED_OUT: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A loopback port that nobody listens on and that this process was not given before.
pub(crate) fn free() -> u16 {
    let mut handed_out = HANDED_OUT.lock();
    let port = (0..TRIES)
        .map(|_| fastrand::u16(RANGE))
        .find(|port| !handed_out.contains(port) && TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("no free port on 127.0.0.1");
    handed_out.insert(port);
    port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_handed_out_twice() {
        let ports: BTreeSet<u16> = (0..50).map(|_| free()).collect();
        assert_eq!(ports.len(), 50);
    }
}
