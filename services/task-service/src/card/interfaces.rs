//! Where this process is reached, for cards that do not say.

use std::net::SocketAddr;

use a2a_proto::a2a::{AgentCard, AgentInterface};

const VERSION: &str = "1.0";

/// The addresses that clients call.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// gRPC.
    pub grpc: SocketAddr,
    /// JSON-RPC and HTTP+JSON.
    pub http: SocketAddr,
}

impl Served {
    /// Adds all interfaces to a card that names none, and the address to one
    /// that names only its binding.
    pub(super) fn fill_in(self, card: &mut AgentCard, tenant: &str) {
        if card.supported_interfaces.is_empty() {
            card.supported_interfaces =
                ["GRPC", "JSONRPC", "HTTP+JSON"].map(|binding| interface(binding, tenant)).into();
        }
        for interface in &mut card.supported_interfaces {
            if interface.url.is_empty() {
                interface.url = self.url(&interface.protocol_binding);
            }
        }
    }

    fn url(self, binding: &str) -> String {
        let Self { grpc, http } = self;
        match binding {
            "GRPC" => grpc.to_string(),
            "JSONRPC" => format!("http://{http}/"),
            "HTTP+JSON" => format!("http://{http}"),
            _ => String::new(),
        }
    }
}

fn interface(binding: &str, tenant: &str) -> AgentInterface {
    AgentInterface {
        url: String::new(),
        protocol_binding: binding.into(),
        tenant: tenant.into(),
        protocol_version: VERSION.into(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::card) fn served() -> Served {
        Served { grpc: "127.0.0.1:50051".parse().unwrap(), http: "127.0.0.1:8080".parse().unwrap() }
    }

    #[test]
    fn only_what_is_missing_is_filled_in() {
        let mut card = AgentCard::default();
        served().fill_in(&mut card, "acme");
        let urls: Vec<&str> = card.supported_interfaces.iter().map(|one| one.url.as_str()).collect();
        assert_eq!(urls, ["127.0.0.1:50051", "http://127.0.0.1:8080/", "http://127.0.0.1:8080"]);
        assert!(card.supported_interfaces.iter().all(|one| one.tenant == "acme"));

        let supported_interfaces = vec![interface("JSONRPC", ""), interface("GRPC", "")];
        let mut card = AgentCard { supported_interfaces, ..AgentCard::default() };
        card.supported_interfaces[0].url = "https://example.com".into();
        served().fill_in(&mut card, "");
        let urls: Vec<&str> = card.supported_interfaces.iter().map(|one| one.url.as_str()).collect();
        assert_eq!(urls, ["https://example.com", "127.0.0.1:50051"]);
    }
}
