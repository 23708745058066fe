//! The cards as they are now: replaced as a whole, never half.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use a2a_proto::json::{self, JsonError};
use parking_lot::RwLock;
use sha2::{Digest as _, Sha256};

use super::Card;

/// All cards of the deployment. Cheap to clone; clones see the same cards.
#[derive(Clone, Debug)]
pub(crate) struct Cards(Arc<RwLock<Arc<Deck>>>);

/// The cards of one moment.
#[derive(Clone, Debug)]
pub(crate) struct Deck {
    /// For requests of tenants without a card of their own.
    pub(super) general: Published,
    pub(super) tenants: BTreeMap<String, Published>,
    /// For GetExtendedAgentCard.
    pub(super) extended: Option<Card>,
}

/// A card, and how it is shown.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) card: Card,
    pub(crate) json: Arc<[u8]>,
    pub(crate) etag: String,
    pub(crate) modified: SystemTime,
}

impl Cards {
    pub(crate) fn new(deck: Deck) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(deck))))
    }

    /// From now on these count. What was taken of the old ones stays as it is.
    pub(crate) fn replace(&self, deck: Deck) {
        *self.0.write() = Arc::new(deck);
    }

    /// The card that a tenant's requests are answered by.
    pub(crate) fn of(&self, tenant: &str) -> Card {
        let deck = self.deck();
        deck.tenants.get(tenant).unwrap_or(&deck.general).card.clone()
    }

    /// What is shown to those who look for the card; `None` for a tenant without
    /// a card of its own.
    pub(crate) fn published(&self, tenant: &str) -> Option<Published> {
        let deck = self.deck();
        if tenant.is_empty() { Some(deck.general.clone()) } else { deck.tenants.get(tenant).cloned() }
    }

    pub(crate) fn extended(&self) -> Option<Card> {
        self.deck().extended.clone()
    }

    fn deck(&self) -> Arc<Deck> {
        Arc::clone(&self.0.read())
    }
}

impl Deck {
    /// As it is in the place of `old`: what is not the same changed now.
    pub(super) fn in_place_of(mut self, old: &Cards, now: SystemTime) -> Self {
        let tenants = self.tenants.iter_mut().map(|(tenant, published)| (tenant.as_str(), published));
        for (tenant, published) in tenants.chain([("", &mut self.general)]) {
            let before = old.published(tenant).filter(|before| before.etag == published.etag);
            published.modified = before.map_or(now, |before| before.modified);
        }
        self
    }
}

impl Published {
    pub(super) fn new(card: Card, modified: SystemTime) -> Result<Self, JsonError> {
        let json = json::to_vec(card.as_proto())?;
        Ok(Self { card, etag: etag(&json), json: json.into(), modified })
    }
}

fn etag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}
