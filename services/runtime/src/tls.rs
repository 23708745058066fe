//! The process's one TLS implementation.

use std::sync::OnceLock;

use rustls::crypto::aws_lc_rs;

/// Another part of the process chose a crypto provider first.
#[derive(Debug, thiserror::Error)]
#[error("another TLS crypto provider than aws-lc-rs is installed")]
pub struct CryptoProviderError;

/// Makes aws-lc-rs what every TLS connection uses. Call it before the first
/// connection; calling it again changes nothing.
pub fn install_crypto_provider() -> Result<(), CryptoProviderError> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| aws_lc_rs::default_provider().install_default().is_ok());
    if *installed { Ok(()) } else { Err(CryptoProviderError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installing_twice_is_installing_once() {
        install_crypto_provider().unwrap();
        install_crypto_provider().unwrap();
        assert!(rustls::crypto::CryptoProvider::get_default().is_some());
    }
}
