//! The keys that webhook requests are signed with, for receivers to check (RFC 7517).

use std::{fs, io, path::Path, path::PathBuf, sync::Arc};

use a2a_runtime::webhook_key::{BadKey, PublicKey};
use axum::{extract::State, response::IntoResponse};
use http::header;

use super::HttpDoor;

/// The well-known path.
pub(super) const PATH: &str = "/.well-known/jwks.json";
/// Short enough that a new key is known soon after it stands in the file.
const CACHE_CONTROL: &str = "public, max-age=300";

/// The document that is served.
#[derive(Clone, Debug)]
pub(crate) struct Jwks(Arc<str>);

/// The keys cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BadJwks {
    /// No such file.
    #[error("cannot read {}", path.display())]
    Read {
        /// The setting's.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something else than keys.
    #[error("--webhook-jwks {}: write a PEM file with P-256 keys", path.display())]
    Key {
        /// The setting's.
        path: PathBuf,
        /// What is wrong with it.
        source: BadKey,
    },
}

impl Jwks {
    /// The public keys of a PEM file; without one, none.
    pub(crate) fn load(path: Option<&Path>) -> Result<Self, BadJwks> {
        let Some(path) = path else { return Ok(Self::of(&[])) };
        let pem = fs::read(path).map_err(|source| BadJwks::Read { path: path.to_owned(), source })?;
        let keys = PublicKey::all_from_pem(&pem);
        Ok(Self::of(&keys.map_err(|source| BadJwks::Key { path: path.to_owned(), source })?))
    }

    fn of(keys: &[PublicKey]) -> Self {
        let keys: Vec<_> = keys.iter().map(PublicKey::jwk).collect();
        Self(serde_json::json!({ "keys": keys }).to_string().into())
    }
}

pub(super) async fn serve(State(door): State<HttpDoor>) -> impl IntoResponse {
    let headers =
        [(header::CONTENT_TYPE, "application/jwk-set+json"), (header::CACHE_CONTROL, CACHE_CONTROL)];
    (headers, door.jwks.0.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_keys_the_set_is_empty() {
        assert_eq!(&*Jwks::load(None).unwrap().0, r#"{"keys":[]}"#);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Jwks::load(Some(Path::new("/nonexistent.pem"))).unwrap_err();
        assert!(error.to_string().contains("/nonexistent.pem"));
    }
}
