//! The keys that seal webhook secrets in Redis, kept beside its data.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use a2a_runtime::random;
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Makes a key ring at `path` unless there is one: what an earlier run sealed
/// has to open.
pub(super) fn ensure(path: &Path) -> io::Result<()> {
    let key = [random::uuid().into_bytes(), random::uuid().into_bytes()].concat();
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => writeln!(file, "demo {}", STANDARD.encode(key)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_key_ring_is_made_once_and_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key-ring");
        ensure(&path).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        ensure(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
