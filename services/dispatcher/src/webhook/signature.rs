//! Signatures by which a receiver knows that a request is ours, unaltered and fresh: as Standard Webhooks has them,
//! and as a JWT.

use std::fmt;

use a2a_lifecycle::egress::Target;
use a2a_runtime::webhook_key::SigningKey;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use thiserror::Error;

const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
const JWT: HeaderName = HeaderName::from_static("a2a-webhook-jwt");
const SECRET_PREFIX: &str = "whsec_";
/// What Standard Webhooks asks of a secret.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// For how long a JWT is good, seconds.
const JWT_TTL_S: i64 = 300;

/// Signs requests; one without secrets and key signs nothing.
#[derive(Debug, Default)]
pub struct Signer {
    pub secrets: Vec<SigningSecret>,
    pub scope: SecretScope,
    pub jwt: Option<JwtSigner>,
}

/// A secret that a receiver shares. Never shown.
#[derive(Clone)]
pub struct SigningSecret(Vec<u8>);

/// Who shares a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SecretScope {
    /// All receivers have the secret itself.
    #[default]
    Deployment,
    /// Each has its own: HMAC-SHA256 of its origin, such as https://hook.example, under the secret.
    Origin,
}

#[derive(Debug)]
pub struct JwtSigner {
    pub key: SigningKey,
    pub issuer: String,
}

/// A line of the file of secrets. Names the line, never what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadSecret {
    #[error("line {0} is no secret: write whsec_ and 24 to 64 random bytes in base64")]
    Line(usize),
    #[error(
        "there is no secret in it: write whsec_ and 24 to 64 random bytes in base64, one a line, the newest first"
    )]
    None,
}

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signed<'a> {
    pub(super) target: &'a Target,
    pub(super) task: &'a str,
    pub(super) id: &'a str,
    pub(super) at_s: i64,
    pub(super) body: &'a [u8],
}

#[derive(Serialize)]
struct JwtHeader<'a> {
    alg: &'a str,
    typ: &'a str,
    kid: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: String,
    iat: i64,
    exp: i64,
    jti: &'a str,
    #[serde(rename = "taskId")]
    task_id: &'a str,
    request_body_sha256: String,
}

impl SigningSecret {
    /// One a line, the newest first; blank lines and those that start with # are none.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, BadSecret> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let secrets = lines.map(|(number, line)| Self::parse(line).ok_or(BadSecret::Line(number)));
        let secrets = secrets.collect::<Result<Vec<_>, _>>()?;
        if secrets.is_empty() { Err(BadSecret::None) } else { Ok(secrets) }
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(SECRET_PREFIX)?).ok()?;
        SECRET_BYTES.contains(&bytes.len()).then_some(Self(bytes))
    }

    fn key(&self, scope: SecretScope, origin: &str) -> hmac::Key {
        let key = hmac::Key::new(HMAC_SHA256, &self.0);
        match scope {
            SecretScope::Deployment => key,
            SecretScope::Origin => hmac::Key::new(HMAC_SHA256, hmac::sign(&key, origin.as_bytes()).as_ref()),
        }
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}

impl Signer {
    /// Adds the headers that prove where the request comes from. A request that cannot be signed goes without:
    /// receivers that insist refuse it, and it is tried again.
    pub(super) fn sign(&self, headers: &mut HeaderMap, signed: &Signed<'_>) {
        if let Some(value) = self.signatures(signed).and_then(secret) {
            headers.insert(SIGNATURE, value);
        }
        if let Some(jwt) = self.jwt.as_ref().and_then(|jwt| jwt.token(signed)) {
            if !headers.contains_key(AUTHORIZATION) {
                headers.extend(secret(format!("Bearer {jwt}")).map(|value| (AUTHORIZATION, value)));
            }
            headers.extend(secret(jwt).map(|value| (JWT, value)));
        }
    }

    /// By every secret, so that receivers may change theirs at any time during a rotation.
    fn signatures(&self, signed: &Signed<'_>) -> Option<String> {
        let mut message = format!("{}.{}.", signed.id, signed.at_s).into_bytes();
        message.extend_from_slice(signed.body);
        let origin = origin(signed.target);
        let sign = |secret: &SigningSecret| {
            let tag = hmac::sign(&secret.key(self.scope, &origin), &message);
            format!("v1,{}", STANDARD.encode(tag.as_ref()))
        };
        let signatures: Vec<_> = self.secrets.iter().map(sign).collect();
        (!signatures.is_empty()).then(|| signatures.join(" "))
    }
}

impl JwtSigner {
    fn token(&self, signed: &Signed<'_>) -> Option<String> {
        let header = JwtHeader { alg: "ES256", typ: "JWT", kid: self.key.public().thumbprint() };
        let claims = Claims {
            iss: &self.issuer,
            aud: origin(signed.target),
            iat: signed.at_s,
            exp: signed.at_s + JWT_TTL_S,
            jti: signed.id,
            task_id: signed.task,
            request_body_sha256: hex(digest(&SHA256, signed.body).as_ref()),
        };
        let message = format!("{}.{}", encoded(&header)?, encoded(&claims)?);
        let signature = self.key.sign(message.as_bytes()).ok()?;
        Some(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// As browsers write it: without the port where it is the scheme's own.
fn origin(target: &Target) -> String {
    target.url.origin().ascii_serialization()
}

fn encoded(part: &impl Serialize) -> Option<String> {
    serde_json::to_vec(part).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text is base64 and punctuation: a header carries it.
#[allow(clippy::needless_pass_by_value, reason = "for and_then")]
fn secret(text: String) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use a2a_lifecycle::egress::EgressPolicy;

    use super::*;

    // The example of the Standard Webhooks specification.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const EXPECTED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn signed(target: &Target) -> Signed<'_> {
        Signed { target, task: "t", id: ID, at_s: 1_614_265_330, body: BODY }
    }

    fn target() -> Target {
        EgressPolicy::default().check_url("https://hook.example/p?k=v").unwrap()
    }

    fn signer(secrets: &str, scope: SecretScope) -> Signer {
        Signer { secrets: SigningSecret::parse_all(secrets).unwrap(), scope, jwt: None }
    }

    #[test]
    fn the_signature_is_that_of_the_specification() {
        let signatures = signer(SECRET, SecretScope::Deployment).signatures(&signed(&target()));
        assert_eq!(signatures.as_deref(), Some(EXPECTED));
    }

    #[test]
    fn every_secret_signs_and_none_signs_nothing() {
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let both = signer(&format!("# new\n{other}\n\n{SECRET}\n"), SecretScope::Deployment);
        let signatures = both.signatures(&signed(&target())).unwrap();
        assert_eq!(signatures.split(' ').count(), 2);
        assert!(signatures.ends_with(EXPECTED));
        let mut headers = HeaderMap::new();
        Signer::default().sign(&mut headers, &signed(&target()));
        assert!(headers.is_empty());
    }

    #[test]
    fn origins_have_secrets_of_their_own() {
        let of = |url| {
            let target = EgressPolicy::default().check_url(url).unwrap();
            signer(SECRET, SecretScope::Origin).signatures(&signed(&target)).unwrap()
        };
        assert_ne!(of("https://a.example/"), EXPECTED);
        assert_ne!(of("https://a.example/"), of("https://b.example/"));
        assert_eq!(of("https://a.example/"), of("https://a.example:443/x"));
    }

    #[test]
    fn bad_lines_are_named_and_not_shown() {
        let bad = |text: &str| SigningSecret::parse_all(text).unwrap_err();
        assert_eq!(bad("\n# only this\n"), BadSecret::None);
        assert_eq!(bad(&format!("{SECRET}\nwhsec_c2hvcnQ=")), BadSecret::Line(2));
        let error = bad("hunter2hunter2hunter2hunter2hunter2").to_string();
        assert!(error.contains("line 1") && !error.contains("hunter"), "{error}");
        assert_eq!(format!("{:?}", SigningSecret::parse(SECRET)), "Some(SigningSecret)");
    }
}
