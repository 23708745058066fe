//! What a card must have (A2A sections 4.4 and 5.8), a field at a time.

use a2a_proto::a2a::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill};
use url::Url;

use super::BadCard;

const EMPTY: &str = "must not be empty";

/// Refuses a card with the path of the first field that is wrong.
pub(super) fn check(card: &AgentCard) -> Result<(), BadCard> {
    required("name", &card.name)?;
    required("description", &card.description)?;
    required("version", &card.version)?;
    filled("supportedInterfaces", &card.supported_interfaces)?;
    for (index, interface) in card.supported_interfaces.iter().enumerate() {
        check_interface(&format!("supportedInterfaces[{index}]"), interface)?;
    }
    let capabilities = card.capabilities.as_ref().ok_or_else(|| bad("capabilities", "is required"))?;
    check_capabilities(capabilities)?;
    if let Some(provider) = &card.provider {
        required("provider.url", &provider.url)?;
        required("provider.organization", &provider.organization)?;
    }
    filled("defaultInputModes", &card.default_input_modes)?;
    filled("defaultOutputModes", &card.default_output_modes)?;
    filled("skills", &card.skills)?;
    card.skills
        .iter()
        .enumerate()
        .try_for_each(|(index, skill)| check_skill(&format!("skills[{index}]"), skill))
}

fn check_interface(path: &str, interface: &AgentInterface) -> Result<(), BadCard> {
    let field = |name: &str| format!("{path}.{name}");
    check_binding(&field("protocolBinding"), &interface.protocol_binding)?;
    check_url(&field("url"), interface)?;
    if is_major_minor(&interface.protocol_version) {
        return Ok(());
    }
    Err(bad(field("protocolVersion"), "must be a version such as 1.0"))
}

/// The three of the specification, or the URI of another one (A2A section 12).
fn check_binding(field: &str, binding: &str) -> Result<(), BadCard> {
    let known = matches!(binding, "GRPC" | "JSONRPC" | "HTTP+JSON") || Url::parse(binding).is_ok();
    if known { Ok(()) } else { Err(bad(field, "must be GRPC, JSONRPC, HTTP+JSON or a URI")) }
}

/// gRPC names its targets in its own way; everything else has an address of HTTP.
fn check_url(field: &str, interface: &AgentInterface) -> Result<(), BadCard> {
    required(field, &interface.url)?;
    if interface.url.contains(char::is_whitespace) {
        return Err(bad(field, "must not have blanks"));
    }
    let is_http = || Url::parse(&interface.url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    let of_http = matches!(interface.protocol_binding.as_str(), "JSONRPC" | "HTTP+JSON");
    if of_http && !is_http() { Err(bad(field, "must be an absolute http or https URL")) } else { Ok(()) }
}

fn check_capabilities(capabilities: &AgentCapabilities) -> Result<(), BadCard> {
    let mut extensions = capabilities.extensions.iter().enumerate();
    extensions.try_for_each(|(index, extension)| {
        required(&format!("capabilities.extensions[{index}].uri"), &extension.uri)
    })
}

fn check_skill(path: &str, skill: &AgentSkill) -> Result<(), BadCard> {
    required(&format!("{path}.id"), &skill.id)?;
    required(&format!("{path}.name"), &skill.name)?;
    required(&format!("{path}.description"), &skill.description)?;
    filled(&format!("{path}.tags"), &skill.tags)
}

fn is_major_minor(version: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    version.split_once('.').is_some_and(|(major, minor)| number(major) && minor.split('.').all(number))
}

fn required(field: &str, text: &str) -> Result<(), BadCard> {
    if text.is_empty() { Err(bad(field, EMPTY)) } else { Ok(()) }
}

fn filled<T>(field: &str, items: &[T]) -> Result<(), BadCard> {
    if items.is_empty() { Err(bad(field, EMPTY)) } else { Ok(()) }
}

fn bad(field: impl Into<String>, problem: &'static str) -> BadCard {
    BadCard::Field { field: field.into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{Card, interfaces::tests::served};

    type Flaw = fn(&mut AgentCard);

    #[test]
    fn the_wrong_field_is_named() {
        let flaws: [(&str, Flaw); 14] = [
            ("name", |card| card.name.clear()),
            ("description", |card| card.description.clear()),
            ("version", |card| card.version.clear()),
            ("supportedInterfaces", |card| card.supported_interfaces.clear()),
            ("supportedInterfaces[0].protocolBinding", |card| {
                card.supported_interfaces[0].protocol_binding = "gRPC".into();
            }),
            ("supportedInterfaces[0].url", |card| card.supported_interfaces[0].url = "a b".into()),
            ("supportedInterfaces[1].url", |card| card.supported_interfaces[1].url = "host:1".into()),
            ("supportedInterfaces[2].url", |card| card.supported_interfaces[2].url.clear()),
            ("supportedInterfaces[1].protocolVersion", |card| {
                card.supported_interfaces[1].protocol_version = "one".into();
            }),
            ("capabilities", |card| card.capabilities = None),
            ("defaultInputModes", |card| card.default_input_modes.clear()),
            ("defaultOutputModes", |card| card.default_output_modes.clear()),
            ("skills[0].tags", |card| card.skills[0].tags.clear()),
            ("provider.url", |card| card.provider = Some(Default::default())),
        ];
        for (expected, flaw) in flaws {
            let mut card = Card::sample(served()).as_proto().clone();
            flaw(&mut card);
            match check(&card) {
                Err(BadCard::Field { field, .. }) => assert_eq!(field, expected),
                other => panic!("{expected}: {other:?}"),
            }
        }
    }

    #[test]
    fn other_bindings_are_uris_and_grpc_has_targets() {
        let mut card = Card::sample(served()).as_proto().clone();
        card.supported_interfaces[0].url = "dns:///agents.example.com:443".into();
        card.supported_interfaces[1].protocol_binding = "https://example.com/bindings/mqtt".into();
        card.supported_interfaces[1].url = "mqtt://example.com".into();
        card.supported_interfaces[1].protocol_version = "0.3.0".into();
        assert!(check(&card).is_ok());
    }
}
