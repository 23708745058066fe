//! Signatures of webhook requests, checked by the libraries that receivers use.

use std::fs;

use a2a_tests::{
    clients,
    process::{Dispatcher, Service, ServiceOptions},
};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};

use crate::{python::Script, stage::Stage};

const NEW: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const ISSUER: &str = "https://tasks.example";

#[tokio::test]
async fn receivers_libraries_accept_every_signature_and_no_altered_body() {
    let files = tempfile::tempdir().expect("a directory");
    let (key, secrets) = (files.path().join("key.pem"), files.path().join("secrets"));
    let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a key");
    fs::write(&key, pair.serialize_pem()).expect("write a key");
    fs::write(&secrets, format!("{NEW}\n{OLD}\n")).expect("write secrets");

    let options = ServiceOptions::default().flag("webhook-jwks", key.display());
    let mut stage = Stage::set_with("agent_worker.py", options).await;
    let options = ServiceOptions::default()
        .flag("webhook-signing-secrets", secrets.display())
        .flag("webhook-jwt-key", key.display())
        .flag("webhook-jwt-issuer", ISSUER);
    let _dispatcher: Dispatcher = Service::start(&stage.redis, options).await;
    let jwks = format!("http://{}/.well-known/jwks.json", stage.service.at.http);
    let mut receiver = Script::start("verify_signatures.py", &[&jwks, ISSUER, NEW, OLD]);
    let config = clients::push_config("a", &receiver.line().await);
    stage.send(clients::with_push(clients::send("hello"), config)).await;
    receiver.finish().await;
}
