//! The agent card of the deployment: what it declares decides what is served.

use std::{fs, io, net::SocketAddr, path::Path, sync::Arc};

use a2a_proto::{
    a2a::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill},
    json::{self, JsonError},
};

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
    /// The file cannot be read.
    #[error("the agent card {path} cannot be read")]
    File {
        /// Where it should be.
        path: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It is no AgentCard in JSON.
    #[error("the agent card is not a JSON AgentCard (A2A section 8)")]
    Json(#[from] JsonError),
    /// A required field is missing.
    #[error("the agent card lacks {0}: A2A section 4.4 requires it")]
    Missing(&'static str),
}

impl Card {
    /// Reads a card from a JSON file.
    pub fn load(path: &Path) -> Result<Self, BadCard> {
        let text =
            fs::read(path).map_err(|source| BadCard::File { path: path.display().to_string(), source })?;
        Self::new(json::from_slice(&text)?)
    }

    /// A card for trying things out: streaming and push, any text.
    #[must_use]
    pub fn sample(grpc: SocketAddr, http: SocketAddr) -> Self {
        let modes = vec!["*/*".to_owned()];
        let card = AgentCard {
            name: "Sample agent".into(),
            description: "An agent without a card of its own; write one and name it with --agent-card".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            supported_interfaces: vec![
                interface("GRPC", grpc.to_string()),
                interface("JSONRPC", format!("http://{http}/")),
                interface("HTTP+JSON", format!("http://{http}")),
            ],
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
        Self::checked(card)
    }

    /// Checks what the specification requires.
    pub fn new(card: AgentCard) -> Result<Self, BadCard> {
        let required = [
            ("name", card.name.is_empty()),
            ("description", card.description.is_empty()),
            ("version", card.version.is_empty()),
            ("supportedInterfaces", card.supported_interfaces.is_empty()),
            ("capabilities", card.capabilities.is_none()),
            ("defaultInputModes", card.default_input_modes.is_empty()),
            ("defaultOutputModes", card.default_output_modes.is_empty()),
            ("skills", card.skills.is_empty()),
        ];
        match required.into_iter().find(|(_, missing)| *missing) {
            Some((field, _)) => Err(BadCard::Missing(field)),
            None => Ok(Self::checked(card)),
        }
    }

    fn checked(card: AgentCard) -> Self {
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

fn interface(binding: &str, url: String) -> AgentInterface {
    AgentInterface {
        url,
        protocol_binding: binding.into(),
        protocol_version: "1.0".into(),
        ..AgentInterface::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Card {
        Card::sample("127.0.0.1:50051".parse().unwrap(), "127.0.0.1:8080".parse().unwrap())
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
        assert_eq!(
            Card::new(card).unwrap_err().to_string(),
            "the agent card lacks skills: A2A section 4.4 requires it"
        );
    }
}
