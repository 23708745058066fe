//! Where the cards come from.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use a2a_proto::json::JsonError;
use percent_encoding::percent_decode_str;

use super::{
    BadCard, BadKey, Card,
    deck::{Deck, Published},
    file::{CardFile, ENDINGS},
    interfaces::Served,
    sign::{Signer, Unsignable},
};

/// Files, and what is added to the cards in them.
#[derive(Clone)]
pub(crate) struct Sources {
    card: Option<PathBuf>,
    extended: Option<PathBuf>,
    tenants: Option<PathBuf>,
    signer: Option<Signer>,
    served: Served,
    started: SystemTime,
}

/// The files as they were at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    card: Option<CardFile>,
    extended: Option<CardFile>,
    /// By tenant.
    tenants: BTreeMap<String, CardFile>,
}

/// Why the cards cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BadCards {
    /// One of them.
    #[error("{}", path.display())]
    Card {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: BadCard,
    },
    /// The folder of the tenants' cards.
    #[error("the folder of agent cards {} cannot be read", path.display())]
    Folder {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The key that signs them.
    #[error(transparent)]
    Key(#[from] BadKey),
    /// A card that cannot be signed or shown.
    #[error("an agent card cannot be shown as JSON")]
    Show(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Sources {
    /// `key` is a PEM file.
    pub(crate) fn new(
        card: Option<&Path>,
        extended: Option<&Path>,
        tenants: Option<&Path>,
        key: Option<&Path>,
        served: Served,
        started: SystemTime,
    ) -> Result<Self, BadCards> {
        Ok(Self {
            card: card.map(Path::to_owned),
            extended: extended.map(Path::to_owned),
            tenants: tenants.map(Path::to_owned),
            signer: key.map(Signer::load).transpose()?,
            served,
            started,
        })
    }

    /// Reads all files.
    pub(super) fn read(&self) -> Result<Files, BadCards> {
        Ok(Files {
            card: self.card.as_deref().map(read).transpose()?,
            extended: self.extended.as_deref().map(read).transpose()?,
            tenants: self.tenants.as_deref().map(read_folder).transpose()?.unwrap_or_default(),
        })
    }

    /// The cards in the files, all of them good.
    pub(super) fn deal(&self, files: &Files) -> Result<Deck, BadCards> {
        let general = match &files.card {
            Some(file) => self.publish(&self.card(file, "")?, file.modified)?,
            None => self.publish(&Card::sample(self.served), self.started)?,
        };
        let mut tenants = BTreeMap::new();
        for (tenant, file) in &files.tenants {
            let published = self.publish(&self.card(file, tenant)?, file.modified)?;
            tenants.insert(tenant.clone(), published);
        }
        let extended = files.extended.as_ref().map(|file| self.card(file, "")).transpose()?;
        let extended = extended.map(|card| self.signed(&card)).transpose().map_err(show)?;
        Ok(Deck { general, tenants, extended })
    }

    fn card(&self, file: &CardFile, tenant: &str) -> Result<Card, BadCards> {
        let checked = file.card().and_then(|mut card| {
            self.served.fill_in(&mut card, tenant);
            Card::new(card)
        });
        checked.map_err(|source| BadCards::Card { path: file.path.clone(), source })
    }

    fn publish(&self, card: &Card, modified: SystemTime) -> Result<Published, BadCards> {
        let signed = self.signed(card).map_err(show)?;
        Published::new(signed, modified).map_err(|error: JsonError| BadCards::Show(error.into()))
    }

    fn signed(&self, card: &Card) -> Result<Card, Unsignable> {
        let mut signed = card.as_proto().clone();
        if let Some(signer) = &self.signer {
            signer.sign(&mut signed)?;
        }
        Ok(Card::unchecked(signed))
    }
}

fn show(error: Unsignable) -> BadCards {
    BadCards::Show(error.into())
}

fn read(path: &Path) -> Result<CardFile, BadCards> {
    CardFile::read(path).map_err(|source| BadCards::Card { path: path.to_owned(), source: source.into() })
}

/// The files of a folder by the tenants that their names are.
fn read_folder(folder: &Path) -> Result<BTreeMap<String, CardFile>, BadCards> {
    let failed = |source| BadCards::Folder { path: folder.to_owned(), source };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let Some(tenant) = tenant_of(&path) {
            files.insert(tenant, read(&path)?);
        }
    }
    Ok(files)
}

/// `TENANT.json`, with what no file name can hold escaped as in a URL. Hidden
/// files are not ours.
fn tenant_of(path: &Path) -> Option<String> {
    let known = ENDINGS.iter().any(|ending| path.extension().is_some_and(|other| other == *ending));
    let name = path.file_stem()?.to_str().filter(|name| known && !name.starts_with('.'))?;
    Some(percent_decode_str(name).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_tenants() {
        for (path, tenant) in [
            ("d/acme.json", Some("acme")),
            ("d/acme%2Feu.yaml", Some("acme/eu")),
            ("d/a.b.yml", Some("a.b")),
            ("d/..data", None),
            ("d/.hidden.json", None),
            ("d/notes.txt", None),
        ] {
            assert_eq!(tenant_of(Path::new(path)).as_deref(), tenant, "{path}");
        }
    }
}
