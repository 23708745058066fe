//! Ports to listen on.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    net::TcpListener,
    ops::Range,
};

use parking_lot::Mutex;

/// Below the range from which the system takes the local ports of outgoing
/// connections: there, a client that dials a dead server may be given the
/// server's own port, and a restarted server finds it taken.
const RANGE: Range<u16> = 15_000..32_000;
const TRIES: usize = 200;

/// The ports of this process, each with the lock that keeps other test processes
/// off it until this one ends.
static HANDED_OUT: Mutex<BTreeMap<u16, File>> = Mutex::new(BTreeMap::new());

/// A loopback port that nobody listens on and that no running test was given.
pub(crate) fn free() -> u16 {
    let mut handed_out = HANDED_OUT.lock();
    let (port, lock) = (0..TRIES)
        .map(|_| fastrand::u16(RANGE))
        .filter(|port| !handed_out.contains_key(port))
        .find_map(|port| lock(port).map(|lock| (port, lock)))
        .expect("no free port on 127.0.0.1");
    handed_out.insert(port, lock);
    port
}

fn lock(port: u16) -> Option<File> {
    let dir = std::env::temp_dir().join("a2a-test-ports");
    fs::create_dir_all(&dir).ok()?;
    let file = File::options().create(true).append(true).open(dir.join(port.to_string())).ok()?;
    file.try_lock().ok()?;
    TcpListener::bind(("127.0.0.1", port)).ok().map(|_| file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_port_is_handed_out_twice() {
        let ports: BTreeSet<u16> = (0..50).map(|_| free()).collect();
        assert_eq!(ports.len(), 50);
    }

    #[test]
    fn a_port_is_locked_against_other_processes() {
        let port = free();
        assert!(lock(port).is_none());
    }
}
