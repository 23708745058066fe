//! The health check of a gRPC port.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use http::uri::Authority;
use tonic::Status;
use tonic::transport::{Endpoint, Error as TransportError};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::clock;

const PAUSE: Duration = Duration::from_millis(250);

#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The port, such as 127.0.0.1:50051 or tasks.example:50051
    #[arg(value_name = "HOST:PORT")]
    pub target: Target,

    /// The service asked about [default: the server as a whole]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub service: String,

    /// Longest wait for one answer, ms
    #[arg(long, default_value_t = 2_000, value_name = "MS")]
    pub timeout_ms: u64,

    /// For how long to ask again while it does not serve, ms
    #[arg(long, default_value_t = 0, value_name = "MS")]
    pub wait_ms: u64,
}

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(Authority);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("write HOST:PORT")]
pub struct BadTarget;

#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("{0} cannot be reached")]
    Unreachable(Authority, #[source] TransportError),
    #[error("{0} does not answer the health check")]
    Refused(Authority, #[source] Box<Status>),
    #[error("{0} is {1}")]
    NotServing(Authority, &'static str),
}

impl Probe {
    /// Asks until the port serves or the time to wait is over.
    pub async fn run(self) -> Result<(), ProbeError> {
        let give_up = clock::instant() + Duration::from_millis(self.wait_ms);
        loop {
            match self.ask().await {
                Err(_) if clock::instant() < give_up => clock::pause(PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    async fn ask(&self) -> Result<(), ProbeError> {
        let Target(target) = &self.target;
        let timeout = Duration::from_millis(self.timeout_ms);
        let unreachable = |error| ProbeError::Unreachable(target.clone(), error);
        let endpoint = Endpoint::from_shared(format!("http://{target}")).map_err(unreachable)?;
        let channel =
            endpoint.connect_timeout(timeout).timeout(timeout).connect().await.map_err(unreachable)?;
        let request = HealthCheckRequest { service: self.service.clone() };
        let answer = HealthClient::new(channel).check(request).await;
        let answer = answer.map_err(|status| ProbeError::Refused(target.clone(), Box::new(status)))?;
        match answer.into_inner().status() {
            ServingStatus::Serving => Ok(()),
            other => Err(ProbeError::NotServing(target.clone(), other.as_str_name())),
        }
    }
}

impl FromStr for Target {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let authority: Authority = text.parse().map_err(|_| BadTarget)?;
        let has_host = !authority.host().is_empty() && !text.contains('@');
        if has_host && authority.port_u16().is_some() { Ok(Self(authority)) } else { Err(BadTarget) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_a_host_and_a_port() {
        for text in ["127.0.0.1:50051", "tasks.example:1", "[::1]:50051"] {
            assert!(text.parse::<Target>().is_ok(), "{text}");
        }
        for text in ["", "tasks", "tasks:", ":50051", "http://tasks:1", "me@tasks:1", "tasks:70000"] {
            assert_eq!(text.parse::<Target>(), Err(BadTarget), "{text}");
        }
    }
}
