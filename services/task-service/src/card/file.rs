//! Cards in files: JSON, or YAML by the ending of the name.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use a2a_proto::{a2a::AgentCard, json};
use serde_json::Value;

use super::BadCard;

/// The endings of names of files with cards.
pub(super) const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CardFile {
    pub(super) path: PathBuf,
    pub(super) modified: SystemTime,
    pub(super) bytes: Vec<u8>,
}

/// A file that holds no card.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It cannot be read.
    #[error("the agent card cannot be read")]
    Io(#[from] io::Error),
    /// It is no YAML.
    #[error("the agent card is no YAML")]
    Yaml(#[from] serde_yaml_ng::Error),
}

impl CardFile {
    /// Through symbolic links, so that a folder that is swapped as a whole is
    /// seen as it is now.
    pub(super) fn read(path: &Path) -> Result<Self, Unreadable> {
        let modified = fs::metadata(path)?.modified()?;
        Ok(Self { path: path.to_owned(), modified, bytes: fs::read(path)? })
    }

    pub(super) fn card(&self) -> Result<AgentCard, BadCard> {
        if !self.is_yaml() {
            return Ok(json::from_slice(&self.bytes)?);
        }
        let value: Value = serde_yaml_ng::from_slice(&self.bytes).map_err(Unreadable::from)?;
        Ok(json::from_slice(value.to_string().as_bytes())?)
    }

    fn is_yaml(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> CardFile {
        CardFile { path: name.into(), modified: SystemTime::UNIX_EPOCH, bytes: text.into() }
    }

    #[test]
    fn json_and_yaml_make_the_same_card() {
        let json =
            file("card.json", r#"{"name":"n","capabilities":{"streaming":true},"skills":[{"id":"s"}]}"#);
        let yaml = file("card.yaml", "name: n\ncapabilities:\n  streaming: true\nskills:\n  - id: s\n");
        assert_eq!(json.card().unwrap(), yaml.card().unwrap());
    }

    #[test]
    fn what_is_no_card_says_where() {
        let shape = file("card.json", r#"{"skills":[{"id":7}]}"#).card().unwrap_err();
        assert_eq!(shape.to_string(), "the agent card is no AgentCard: skills[0].id");
        assert!(matches!(file("card.yml", "a: [").card(), Err(BadCard::File(Unreadable::Yaml(_)))));
    }
}
