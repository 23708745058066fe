//! What webhook requests are signed with.

use std::fs;
use std::io;
use std::path::PathBuf;

use a2a_runtime::webhook_key::{BadKey, SigningKey};
use clap::Args;
use thiserror::Error;

use crate::webhook::{BadSecret, JwtSigner, SecretScope, Signer, SigningSecret};

#[derive(Args, Clone, Debug)]
pub struct SigningSettings {
    /// Secrets that requests are signed with as Standard Webhooks has it: a file, whsec_ and base64 a line, newest
    /// first; all sign
    #[arg(long, env = "A2A_WEBHOOK_SIGNING_SECRETS", value_name = "FILE")]
    pub webhook_signing_secrets: Option<PathBuf>,

    /// Whether receivers share the secrets, or each has its own: HMAC-SHA256 of its origin under the secret
    #[arg(long, env = "A2A_WEBHOOK_SIGNING_SCOPE", default_value = "deployment")]
    pub webhook_signing_scope: SecretScope,

    /// A private key, P-256 in PEM, that signs a JWT for each request
    #[arg(long, env = "A2A_WEBHOOK_JWT_KEY", value_name = "FILE")]
    pub webhook_jwt_key: Option<PathBuf>,

    /// Who those JWTs say they come from: the public URL of the task service, where receivers find the keys
    #[arg(long, env = "A2A_WEBHOOK_JWT_ISSUER", default_value = "a2a-tasks", value_name = "URL")]
    pub webhook_jwt_issuer: String,
}

/// A file that signing needs.
#[derive(Debug, Error)]
pub enum SigningError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("--webhook-signing-secrets {}: {source}", path.display())]
    Secrets { path: PathBuf, source: BadSecret },
    #[error("--webhook-jwt-key {}: {source}", path.display())]
    Key { path: PathBuf, source: BadKey },
}

impl SigningSettings {
    pub(super) fn into_signer(self) -> Result<Signer, SigningError> {
        let Self {
            webhook_signing_secrets,
            webhook_signing_scope: scope,
            webhook_jwt_key,
            webhook_jwt_issuer,
        } = self;
        let secrets = webhook_signing_secrets.map_or_else(|| Ok(Vec::new()), secrets)?;
        let key = webhook_jwt_key.map(key).transpose()?;
        let jwt = key.map(|key| JwtSigner { key, issuer: webhook_jwt_issuer });
        Ok(Signer { secrets, scope, jwt })
    }
}

fn secrets(path: PathBuf) -> Result<Vec<SigningSecret>, SigningError> {
    let text =
        fs::read_to_string(&path).map_err(|source| SigningError::Read { path: path.clone(), source })?;
    SigningSecret::parse_all(&text).map_err(|source| SigningError::Secrets { path, source })
}

fn key(path: PathBuf) -> Result<SigningKey, SigningError> {
    let pem = fs::read(&path).map_err(|source| SigningError::Read { path: path.clone(), source })?;
    SigningKey::from_pem(&pem).map_err(|source| SigningError::Key { path, source })
}
