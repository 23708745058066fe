//! `a2a-task-service reseal`.

use a2a_store::{StartError, Store};

use crate::settings::Settings;

/// Seals every webhook's secrets with the first key of the ring.
pub async fn reseal(settings: &Settings) -> Result<(), StartError> {
    let store = Store::open(&settings.store)?;
    store.verify().await?;
    let done = store.reseal().await?;
    println!("{} of {} webhooks sealed anew", done.rewritten, done.seen);
    Ok(())
}
