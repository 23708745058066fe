//! The wire contract is the official one.

use tempfile::NamedTempFile;

use crate::python;

#[tokio::test]
async fn wire_equality() {
    let descriptors = descriptors();
    let said = python::run("wire_equality.py", &[path(&descriptors)]).await;
    println!("{said}");
    assert!(said.contains("11 methods"), "{said}");
}

#[tokio::test]
async fn any_difference_would_be_seen() {
    let descriptors = descriptors();
    println!("{}", python::run("wire_alterations.py", &[path(&descriptors)]).await);
}

fn descriptors() -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), a2a_proto::DESCRIPTORS).expect("write to it");
    file
}

fn path(file: &NamedTempFile) -> &str {
    file.path().to_str().expect("a path in UTF-8")
}
