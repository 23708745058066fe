//! Secrets at rest: webhook configs are sealed with AES-256-GCM, bound to their
//! task and id, so that a copied or altered value does not open.
//!
//! A key ring is a text file, a key a line: an id, a space, and 32 bytes in
//! base64. The first key seals; the others open what they sealed. To rotate, put
//! a new key first, restart the services, reseal, and drop the old key.

use std::{fmt, fs, io, path::Path, sync::Arc};

use a2a_proto::a2a::TaskPushNotificationConfig;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost::Message as _;

use crate::codec::{CodecError, protobuf};

/// What a stored value starts with.
const PLAIN: u8 = 0;
const SEALED: u8 = 1;
/// Longest id of a key, bytes.
const MAX_ID_BYTES: usize = 64;

/// Keys that seal and open. Shows no key.
#[derive(Clone)]
pub struct KeyRing {
    keys: Arc<Vec<Key>>,
}

struct Key {
    id: String,
    key: RandomizedNonceKey,
}

/// A key ring that cannot be used. It tells the line, never what it holds.
#[derive(Debug, thiserror::Error)]
pub enum BadKeyRing {
    /// The file cannot be read.
    #[error("the key ring {path} cannot be read")]
    File {
        /// Where it should be.
        path: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A line is no key.
    #[error("line {0} of the key ring is no key: write an id, a space, and 32 bytes in base64")]
    Line(usize),
    /// Two keys have the same id.
    #[error("line {0} of the key ring has the id of an earlier key")]
    Repeated(usize),
    /// There is no key.
    #[error("the key ring holds no key: write an id, a space, and 32 bytes in base64")]
    Empty,
}

/// How webhook configs lie in Redis.
#[derive(Clone, Debug)]
pub(crate) enum Vault {
    /// As they are: for development.
    Plain,
    /// Sealed.
    Ring(KeyRing),
}

impl KeyRing {
    /// Reads a key ring from a file.
    pub fn load(path: &Path) -> Result<Self, BadKeyRing> {
        let text = fs::read_to_string(path)
            .map_err(|source| BadKeyRing::File { path: path.display().to_string(), source })?;
        Self::parse(&text)
    }

    /// Reads a key ring.
    pub fn parse(text: &str) -> Result<Self, BadKeyRing> {
        let mut keys: Vec<Key> = Vec::new();
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let key = Key::parse(line).ok_or(BadKeyRing::Line(number))?;
            if keys.iter().any(|earlier| earlier.id == key.id) {
                return Err(BadKeyRing::Repeated(number));
            }
            keys.push(key);
        }
        if keys.is_empty() { Err(BadKeyRing::Empty) } else { Ok(Self { keys: Arc::new(keys) }) }
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.id)).finish()
    }
}

impl Key {
    fn parse(line: &str) -> Option<Self> {
        let (id, bytes) = line.split_once(char::is_whitespace)?;
        let bytes = STANDARD.decode(bytes.trim()).ok()?;
        let key = RandomizedNonceKey::new(&AES_256_GCM, &bytes).ok()?;
        (id.len() <= MAX_ID_BYTES).then(|| Self { id: id.to_owned(), key })
    }
}

impl Vault {
    /// The config as it is stored.
    pub(crate) fn close(&self, config: &TaskPushNotificationConfig) -> Result<Vec<u8>, CodecError> {
        let mut value = config.encode_to_vec();
        match self {
            Self::Plain => {
                value.insert(0, PLAIN);
                Ok(value)
            }
            Self::Ring(ring) => {
                let key = ring.keys.first().ok_or(CodecError::Sealed)?;
                let bound = Aad::from(binding(&config.task_id, &config.id));
                let nonce =
                    key.key.seal_in_place_append_tag(bound, &mut value).map_err(|_| CodecError::Sealed)?;
                let id_len = u8::try_from(key.id.len()).map_err(|_| CodecError::Sealed)?;
                Ok([&[SEALED, id_len], key.id.as_bytes(), nonce.as_ref(), &value].concat())
            }
        }
    }

    /// The config that was stored for `task` as `id`.
    pub(crate) fn open(
        &self,
        task: &str,
        id: &str,
        value: &[u8],
    ) -> Result<TaskPushNotificationConfig, CodecError> {
        const WHAT: &str = "push notification config";
        match value.split_first().ok_or(CodecError::Truncated(WHAT))? {
            (&PLAIN, plain) => protobuf(WHAT, plain),
            (&SEALED, sealed) => protobuf(WHAT, &self.unseal(task, id, sealed)?),
            _ => Err(CodecError::Sealed),
        }
    }

    /// Whether a stored value is not as this vault would store it now.
    pub(crate) fn is_outdated(&self, value: &[u8]) -> bool {
        match self {
            Self::Plain => value.first() != Some(&PLAIN),
            Self::Ring(ring) => {
                let current = ring.keys.first().map(|key| key.id.as_bytes());
                value.first() != Some(&SEALED) || split_id(&value[1..]).map(|(id, _)| id) != current
            }
        }
    }

    fn unseal(&self, task: &str, id: &str, sealed: &[u8]) -> Result<Vec<u8>, CodecError> {
        let Self::Ring(ring) = self else { return Err(CodecError::Sealed) };
        let (key_id, rest) = split_id(sealed).ok_or(CodecError::Sealed)?;
        let key = ring.keys.iter().find(|key| key.id.as_bytes() == key_id).ok_or(CodecError::Sealed)?;
        let (nonce, ciphertext) = rest.split_at_checked(NONCE_LEN).ok_or(CodecError::Sealed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| CodecError::Sealed)?;
        let mut opened = ciphertext.to_vec();
        let bound = Aad::from(binding(task, id));
        let len = key.key.open_in_place(nonce, bound, &mut opened).map_err(|_| CodecError::Sealed)?.len();
        opened.truncate(len);
        Ok(opened)
    }
}

/// What a sealed value is bound to.
fn binding(task: &str, id: &str) -> String {
    format!("{} {task} {id}", task.len())
}

fn split_id(sealed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = sealed.split_first()?;
    rest.split_at_checked(usize::from(*len))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "old AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    const NEW: &str = "new AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

    fn vault(text: &str) -> Vault {
        Vault::Ring(KeyRing::parse(text).unwrap())
    }

    fn config() -> TaskPushNotificationConfig {
        let secret = "correct horse";
        TaskPushNotificationConfig {
            id: "c".into(),
            task_id: "t".into(),
            token: secret.into(),
            ..Default::default()
        }
    }

    #[test]
    fn a_sealed_config_opens_for_its_task_and_id_only() {
        let sealed = vault(OLD).close(&config()).unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("correct"));
        assert_eq!(vault(OLD).open("t", "c", &sealed).unwrap(), config());
        assert!(vault(OLD).open("other", "c", &sealed).is_err());
        assert!(vault(OLD).open("t", "other", &sealed).is_err());
        assert!(vault(NEW).open("t", "c", &sealed).is_err());
        assert!(Vault::Plain.open("t", "c", &sealed).is_err());
        for index in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[index] ^= 1;
            assert!(vault(OLD).open("t", "c", &altered).is_err(), "byte {index}");
        }
    }

    #[test]
    fn a_rotated_ring_opens_the_old_and_seals_with_the_new() {
        let old = vault(OLD).close(&config()).unwrap();
        let both = vault(&format!("# rotated\n{NEW}\n{OLD}\n"));
        assert_eq!(both.open("t", "c", &old).unwrap(), config());
        assert!(both.is_outdated(&old));
        let new = both.close(&config()).unwrap();
        assert!(!both.is_outdated(&new));
        assert_eq!(vault(NEW).open("t", "c", &new).unwrap(), config());
    }

    #[test]
    fn plain_configs_open_until_they_are_sealed() {
        let plain = Vault::Plain.close(&config()).unwrap();
        assert_eq!(vault(OLD).open("t", "c", &plain).unwrap(), config());
        assert!(vault(OLD).is_outdated(&plain));
    }

    #[test]
    fn bad_rings_tell_the_line_and_nothing_else() {
        let short = "k c2hvcnQ=";
        let error = KeyRing::parse(&format!("{OLD}\n{short}")).unwrap_err();
        assert!(matches!(error, BadKeyRing::Line(2)));
        assert!(!error.to_string().contains("c2hvcnQ"));
        assert!(matches!(KeyRing::parse(&format!("{OLD}\n{OLD}")).unwrap_err(), BadKeyRing::Repeated(2)));
        assert!(matches!(KeyRing::parse("\n# nothing\n").unwrap_err(), BadKeyRing::Empty));
        assert_eq!(format!("{:?}", KeyRing::parse(OLD).unwrap()), "[\"old\"]");
    }
}
