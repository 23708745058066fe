//! The media types that the agent takes (A2A sections 3.1.1 and 8): those of the
//! card and those of its skills, with wildcards.

use a2a_proto::a2a::{AgentCard, Message};

use crate::error::Error;

/// Media type ranges, such as `text/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modes(Vec<String>);

impl Modes {
    /// What a card and its skills declare.
    #[must_use]
    pub fn of(card: &AgentCard) -> Self {
        let skills = card.skills.iter().flat_map(|skill| &skill.input_modes);
        Self(card.default_input_modes.iter().chain(skills).map(|mode| essence(mode)).collect())
    }

    /// Refuses a message with a part of another type. A part that names none is
    /// taken: the agent will see what it is.
    pub fn check(&self, message: &Message) -> Result<(), Error> {
        let foreign = message.parts.iter().enumerate().find(|(_, part)| !self.take(&part.media_type));
        match foreign {
            None => Ok(()),
            Some((index, part)) => Err(Error::ContentTypeNotSupported {
                field: format!("message.parts[{index}].mediaType"),
                media_type: part.media_type.clone(),
            }),
        }
    }

    fn take(&self, media_type: &str) -> bool {
        let named = essence(media_type);
        named.is_empty() || self.0.iter().any(|range| matches(range, &named))
    }
}

/// The type without parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn matches(range: &str, media_type: &str) -> bool {
    match range.strip_suffix("/*") {
        Some("*") => true,
        Some(family) => media_type.split_once('/').is_some_and(|(of, _)| of == family),
        None => range == media_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_parameters() {
        let modes = Modes(vec!["text/*".into(), "application/json".into()]);
        for taken in ["", "text/plain", "TEXT/Plain; charset=utf-8", "application/json"] {
            assert!(modes.take(taken), "{taken}");
        }
        for refused in ["image/png", "application/jsonp", "textual/plain", "text"] {
            assert!(!modes.take(refused), "{refused}");
        }
        assert!(Modes(vec!["*/*".into()]).take("image/png"));
    }
}
