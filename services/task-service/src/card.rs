//! The agent cards of the deployment: what they declare decides what is served.

mod check;
mod deck;
mod file;
mod interfaces;
mod sign;
mod sources;
mod watch;

use std::sync::Arc;

use a2a_proto::{
    a2a::{AgentCapabilities, AgentCard, AgentSkill},
    json::JsonError,
};

pub(crate) use self::{
    deck::{Cards, Published},
    interfaces::Served,
    sources::Sources,
    watch::{Watched, watch},
};
pub use self::{file::Unreadable, sign::BadKey, sources::BadCards};
use crate::modes::Modes;

/// A card, checked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Card {
    card: Arc<AgentCard>,
    modes: Arc<Modes>,
}

/// A card that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BadCard {
    /// The file cannot be read as a card.
    #[error(transparent)]
    File(#[from] Unreadable),
    /// It is no AgentCard (A2A section 8).
    #[error("the agent card is no AgentCard{}", at(.0))]
    Shape(#[from] JsonError),
    /// A field is not as it must be.
    #[error("the agent card's {field} {problem}")]
    Field {
        /// Its path, such as `supportedInterfaces[0].url`.
        field: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl Card {
    /// A card for trying things out: streaming and push, any text.
    #[must_use]
    pub fn sample(served: Served) -> Self {
        let modes = vec!["*/*".to_owned()];
        let mut card = AgentCard {
            name: "Sample agent".into(),
            description: "An agent without a card of its own; write one and name it with --agent-card".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            capabilities: Some(AgentCapabilities {
                streaming: Some(true),
                push_notifications: Some(true),
                ..AgentCapabilities::default()
            }),
            default_input_modes: modes.clone(),
            default_output_modes: modes,
            skills: vec![AgentSkill {
                id: "any".into(),
                name: "Anything".into(),
                description: "Whatever the workers behind it can do".into(),
                tags: vec!["sample".into()],
                ..AgentSkill::default()
            }],
            ..AgentCard::default()
        };
        served.fill_in(&mut card, "");
        Self::unchecked(card)
    }

    /// Checks what the specification requires (A2A section 4.4).
    pub fn new(card: AgentCard) -> Result<Self, BadCard> {
        check::check(&card)?;
        Ok(Self::unchecked(card))
    }

    fn unchecked(card: AgentCard) -> Self {
        Self { modes: Arc::new(Modes::of(&card)), card: Arc::new(card) }
    }

    /// The media types that the agent takes.
    #[must_use]
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The card itself.
    #[must_use]
    pub fn as_proto(&self) -> &AgentCard {
        &self.card
    }

    /// `capabilities.streaming`.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.capability(|capabilities| capabilities.streaming)
    }

    /// `capabilities.pushNotifications`.
    #[must_use]
    pub fn pushes(&self) -> bool {
        self.capability(|capabilities| capabilities.push_notifications)
    }

    /// `capabilities.extendedAgentCard`.
    #[must_use]
    pub fn is_extended(&self) -> bool {
        self.capability(|capabilities| capabilities.extended_agent_card)
    }

    /// Extensions that every request must name.
    pub fn required_extensions(&self) -> impl Iterator<Item = &str> {
        let extensions = self.card.capabilities.iter().flat_map(|capabilities| &capabilities.extensions);
        extensions.filter(|extension| extension.required).map(|extension| extension.uri.as_str())
    }

    fn capability(&self, which: impl Fn(&AgentCapabilities) -> Option<bool>) -> bool {
        self.card.capabilities.as_ref().and_then(which).unwrap_or(false)
    }
}

fn at(error: &JsonError) -> String {
    match error {
        JsonError::Decode { field, .. } if !field.is_empty() => format!(": {field}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Card {
        Card::sample(interfaces::tests::served())
    }

    #[test]
    fn the_sample_is_a_valid_card() {
        let card = sample();
        assert!(card.streams() && card.pushes() && !card.is_extended());
        assert!(Card::new(card.as_proto().clone()).is_ok());
    }

    #[test]
    fn a_card_says_what_it_lacks() {
        let mut card = sample().as_proto().clone();
        card.skills.clear();
        assert_eq!(Card::new(card).unwrap_err().to_string(), "the agent card's skills must not be empty");
    }
}
