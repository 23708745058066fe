//! The binaries under test: those that cargo put beside the running test.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

/// One build at a time, whatever the number of tests that ask for it.
static BUILDING: Mutex<()> = Mutex::new(());

/// The path of the binary of package `name`, built if it is missing.
///
/// A binary that is there is taken as it is: build the workspace before the tests.
///
/// # Panics
/// When it can neither be found nor built.
pub(super) fn path(name: &str) -> PathBuf {
    let dir = profile_dir();
    let binary = dir.join(name);
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if !binary.is_file() {
        build(name, &dir);
    }
    assert!(binary.is_file(), "{} is missing: cargo build -p {name}", binary.display());
    binary
}

/// `target/debug` for a test at `target/debug/deps/test-0123`.
fn profile_dir() -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    test.ancestors().nth(2).map(Path::to_owned).expect("tests run from target/<profile>/deps")
}

fn build(name: &str, dir: &Path) {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", name]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if let Some(target_dir) = dir.parent() {
        cargo.arg("--target-dir").arg(target_dir);
    }
    if dir.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().unwrap_or_else(|e| panic!("cannot run {cargo:?}: {e}"));
    assert!(status.success(), "{name} does not build: {cargo:?} ended with {status}");
}
