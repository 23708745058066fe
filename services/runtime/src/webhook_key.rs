//! The keys that webhook requests are signed with: the dispatcher signs, and the task service publishes the
//! public halves (RFC 7517) so that receivers can check.

use aws_lc_rs::error::KeyRejected;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::pki_types::pem::{self, PemObject, SectionKind};
use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// An uncompressed point: a tag, x and y.
const POINT_BYTES: usize = 65;
const POINT_TAG: u8 = 4;
/// What stands before the point in a SubjectPublicKeyInfo of the curve P-256.
const SPKI_PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// A key that signs, ES256.
#[derive(Debug)]
pub struct SigningKey {
    pair: EcdsaKeyPair,
    public: PublicKey,
}

/// The half that receivers check with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    x: String,
    y: String,
}

/// A public key as receivers read it.
#[derive(Debug, Serialize)]
pub struct Jwk<'a> {
    kty: &'static str,
    crv: &'static str,
    x: &'a str,
    y: &'a str,
    #[serde(rename = "use")]
    usage: &'static str,
    alg: &'static str,
    kid: String,
}

/// No key that can be used. Says nothing of what it holds.
#[derive(Debug, Error)]
pub enum BadKey {
    #[error("this is no PEM")]
    Pem(#[source] pem::Error),
    #[error(
        "the key is none of the curve P-256: make one with `openssl ecparam -name prime256v1 -genkey -noout`"
    )]
    Private(#[source] KeyRejected),
    #[error("the public key is none of the curve P-256")]
    Public,
    #[error("there is no private key in it")]
    NoPrivate,
    #[error("there is no key in it")]
    None,
}

/// The system has no randomness.
#[derive(Debug, Error)]
#[error("cannot sign")]
pub struct CannotSign;

impl SigningKey {
    /// The first private key of a PEM file.
    pub fn from_pem(pem: &[u8]) -> Result<Self, BadKey> {
        let sections = sections(pem)?;
        let private = sections.iter().find(|(kind, _)| is_private(*kind)).ok_or(BadKey::NoPrivate)?;
        Self::from_der(&private.1)
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// As JWS has it: both numbers, one behind the other.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CannotSign> {
        let signature = self.pair.sign(&SystemRandom::new(), message).map_err(|_| CannotSign)?;
        Ok(signature.as_ref().to_vec())
    }

    fn from_der(der: &[u8]) -> Result<Self, BadKey> {
        let pair = EcdsaKeyPair::from_private_key_der(&ECDSA_P256_SHA256_FIXED_SIGNING, der)
            .map_err(BadKey::Private)?;
        let public = PublicKey::from_point(pair.public_key().as_ref())?;
        Ok(Self { pair, public })
    }
}

impl PublicKey {
    /// Every key of a PEM file: public ones, and the public halves of private ones.
    pub fn all_from_pem(pem: &[u8]) -> Result<Vec<Self>, BadKey> {
        let sections = sections(pem)?;
        let keys = sections.iter().filter_map(|(kind, der)| Self::from_section(*kind, der));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() { Err(BadKey::None) } else { Ok(keys) }
    }

    pub fn jwk(&self) -> Jwk<'_> {
        Jwk {
            kty: "EC",
            crv: "P-256",
            x: &self.x,
            y: &self.y,
            usage: "sig",
            alg: "ES256",
            kid: self.thumbprint(),
        }
    }

    /// Names the key (RFC 7638).
    pub fn thumbprint(&self) -> String {
        let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, self.x, self.y);
        URL_SAFE_NO_PAD.encode(Sha256::digest(members))
    }

    fn from_section(kind: SectionKind, der: &[u8]) -> Option<Result<Self, BadKey>> {
        match kind {
            SectionKind::PublicKey => {
                Some(der.strip_prefix(&SPKI_PREFIX).ok_or(BadKey::Public).and_then(Self::from_point))
            }
            kind if is_private(kind) => Some(SigningKey::from_der(der).map(|key| key.public)),
            _ => None,
        }
    }

    fn from_point(point: &[u8]) -> Result<Self, BadKey> {
        match point {
            [POINT_TAG, numbers @ ..] if point.len() == POINT_BYTES => {
                let (x, y) = numbers.split_at(numbers.len() / 2);
                Ok(Self { x: URL_SAFE_NO_PAD.encode(x), y: URL_SAFE_NO_PAD.encode(y) })
            }
            _ => Err(BadKey::Public),
        }
    }
}

fn sections(pem: &[u8]) -> Result<Vec<(SectionKind, Vec<u8>)>, BadKey> {
    <(SectionKind, Vec<u8>)>::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(BadKey::Pem)
}

fn is_private(kind: SectionKind) -> bool {
    matches!(kind, SectionKind::PrivateKey | SectionKind::EcPrivateKey)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    // The same key, as `openssl ecparam` and `openssl pkcs8 -topk8` write it, and its public half.
    const SEC1: &str = include_str!("webhook_key/sec1.pem");
    const PKCS8: &str = include_str!("webhook_key/pkcs8.pem");
    const PUBLIC: &str = include_str!("webhook_key/public.pem");

    #[test]
    fn all_spellings_of_a_key_are_the_same_key() {
        let key = SigningKey::from_pem(SEC1.as_bytes()).unwrap();
        assert_eq!(SigningKey::from_pem(PKCS8.as_bytes()).unwrap().public(), key.public());
        let both = PublicKey::all_from_pem(format!("{PUBLIC}{SEC1}").as_bytes()).unwrap();
        assert_eq!(both, [key.public().clone(), key.public().clone()]);
    }

    #[test]
    fn a_signature_holds() {
        let key = SigningKey::from_pem(PKCS8.as_bytes()).unwrap();
        let signature = key.sign(b"message").unwrap();
        assert_eq!(signature.len(), 64);
        let point = key.pair.public_key().as_ref().to_vec();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(b"message", &signature).unwrap();
    }

    /// From RFC 7517 appendix A.1, with its thumbprint calculated by other means.
    #[test]
    fn a_thumbprint_is_of_the_members_in_order() {
        let key = PublicKey {
            x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4".into(),
            y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM".into(),
        };
        assert_eq!(key.thumbprint(), "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s");
        assert_eq!(serde_json::to_value(key.jwk()).unwrap()["kty"], "EC");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for pem in ["", "no pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(SigningKey::from_pem(pem.as_bytes()).is_err());
            assert!(PublicKey::all_from_pem(pem.as_bytes()).is_err());
        }
        assert!(matches!(SigningKey::from_pem(PUBLIC.as_bytes()), Err(BadKey::NoPrivate)));
    }
}
