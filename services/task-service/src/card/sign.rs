//! Signed cards (A2A section 8.4): a JWS with ES256 over the card's canonical
//! form (RFC 8785), detached. The signature of a card is always the same, so
//! that all replicas show the same bytes.

use std::{fs, io, path::Path};

use a2a_proto::{
    a2a::{AgentCard, AgentCardSignature},
    json::{self, JsonError},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer as _},
    elliptic_curve::sec1::ToSec1Point as _,
    pkcs8::DecodePrivateKey as _,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A key that signs cards.
#[derive(Clone)]
pub(super) struct Signer {
    key: SigningKey,
    protected: String,
}

/// A file that holds no key for cards.
#[derive(Debug, thiserror::Error)]
pub enum BadKey {
    /// It cannot be read.
    #[error("the card signing key cannot be read")]
    Io(#[from] io::Error),
    /// It is another key.
    #[error(
        "the card signing key is no P-256 private key in PEM: make one with \
             openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
    )]
    Pem,
    /// Its parts have no canonical form.
    #[error("the card signing key's header has no canonical form")]
    Header(#[source] serde_json::Error),
}

/// A card that has no canonical form.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsignable {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("the agent card has no canonical form")]
    Canonical(#[from] serde_json::Error),
}

impl Signer {
    pub(super) fn load(path: &Path) -> Result<Self, BadKey> {
        Self::from_pem(&fs::read_to_string(path)?)
    }

    fn from_pem(pem: &str) -> Result<Self, BadKey> {
        let key = SecretKey::from_pkcs8_pem(pem).or_else(|_| SecretKey::from_sec1_pem(pem));
        let key = key.map_err(|_| BadKey::Pem)?;
        let header = json!({ "alg": "ES256", "typ": "JOSE", "kid": thumbprint(&key)? });
        let header = serde_json_canonicalizer::to_vec(&header).map_err(BadKey::Header)?;
        Ok(Self { key: SigningKey::from(&key), protected: URL_SAFE_NO_PAD.encode(header) })
    }

    /// Adds a signature to those that the card has.
    pub(super) fn sign(&self, card: &mut AgentCard) -> Result<(), Unsignable> {
        let payload = URL_SAFE_NO_PAD.encode(canonical(card)?);
        let signature: Signature = self.key.sign(format!("{}.{payload}", self.protected).as_bytes());
        card.signatures.push(AgentCardSignature {
            protected: self.protected.clone(),
            signature: URL_SAFE_NO_PAD.encode(signature.to_bytes()),
            header: None,
        });
        Ok(())
    }
}

/// What is signed: the card without its signatures and without what is empty.
fn canonical(card: &AgentCard) -> Result<Vec<u8>, Unsignable> {
    let card = AgentCard { signatures: Vec::new(), ..card.clone() };
    let value: Value = serde_json::from_slice(&json::to_vec(&card)?)?;
    Ok(serde_json_canonicalizer::to_vec(&without_empty(value))?)
}

fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(items) => {
            let items: Vec<Value> = items.into_iter().filter_map(without_empty).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(fields) => {
            let filled = fields.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?)));
            let fields: serde_json::Map<String, Value> = filled.collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        other => Some(other),
    }
}

/// The key's name: the same for whoever has its public half (RFC 7638).
fn thumbprint(key: &SecretKey) -> Result<String, BadKey> {
    let point = key.public_key().to_sec1_point(false);
    let coordinate = |bytes: Option<&_>| bytes.map(|bytes: &p256::FieldBytes| URL_SAFE_NO_PAD.encode(bytes));
    let jwk = json!({ "crv": "P-256", "kty": "EC", "x": coordinate(point.x()), "y": coordinate(point.y()) });
    let jwk = serde_json_canonicalizer::to_vec(&jwk).map_err(BadKey::Header)?;
    Ok(URL_SAFE_NO_PAD.encode(Sha256::digest(jwk)))
}

#[cfg(test)]
mod tests {
    use p256::{
        ecdsa::{VerifyingKey, signature::Verifier as _},
        pkcs8::{EncodePrivateKey as _, LineEnding},
    };

    use super::*;
    use crate::card::{Card, interfaces::tests::served};

    fn key() -> String {
        let key = SecretKey::from_slice(&[7; 32]).unwrap();
        key.to_pkcs8_pem(LineEnding::LF).unwrap().to_string()
    }

    #[test]
    fn a_signature_verifies_and_is_always_the_same() {
        let signer = Signer::from_pem(&key()).unwrap();
        let card = Card::sample(served()).as_proto().clone();
        let (mut first, mut second) = (card.clone(), card.clone());
        signer.sign(&mut first).unwrap();
        signer.sign(&mut second).unwrap();
        assert_eq!(first, second);
        let signature = URL_SAFE_NO_PAD.decode(&first.signatures[0].signature).unwrap();
        let signed = format!("{}.{}", signer.protected, URL_SAFE_NO_PAD.encode(canonical(&first).unwrap()));
        let key = VerifyingKey::from(&signer.key);
        key.verify(signed.as_bytes(), &Signature::from_slice(&signature).unwrap()).unwrap();
    }

    #[test]
    fn what_is_empty_is_not_signed() {
        let value = json!({"a": "", "b": [], "c": {"d": {}}, "e": false, "f": [{"g": ""}, "h"], "i": 0});
        assert_eq!(without_empty(value), Some(json!({"e": false, "f": ["h"], "i": 0})));
    }

    #[test]
    fn another_file_is_no_key() {
        assert!(matches!(Signer::from_pem("hello"), Err(BadKey::Pem)));
    }
}
