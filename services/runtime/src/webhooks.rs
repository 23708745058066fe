//! The settings that say where webhooks may point, alike in both services.

use a2a_lifecycle::egress::{EgressPolicy, HostSuffix, parse_port, parse_range};
use ipnet::IpNet;

/// Where webhooks may point: judged by the task service when one is registered, and by the dispatcher at
/// every attempt. Give both the same values.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct WebhookSettings {
    /// Address ranges that webhooks may point to although they are not public, such as 10.1.0.0/16
    #[arg(long = "allow-webhook-cidr", env = "A2A_ALLOW_WEBHOOK_CIDR", value_delimiter = ',', value_parser = parse_range, value_name = "CIDR")]
    pub allow: Vec<IpNet>,

    /// Address ranges that webhooks must not point to although they are public
    #[arg(long = "deny-webhook-cidr", env = "A2A_DENY_WEBHOOK_CIDR", value_delimiter = ',', value_parser = parse_range, value_name = "CIDR")]
    pub deny: Vec<IpNet>,

    /// Host suffixes that webhooks may point to; when given, no other host is taken
    #[arg(
        long = "allow-webhook-host",
        env = "A2A_ALLOW_WEBHOOK_HOST",
        value_delimiter = ',',
        value_name = "SUFFIX"
    )]
    pub allow_hosts: Vec<HostSuffix>,

    /// Host suffixes that webhooks must not point to
    #[arg(
        long = "deny-webhook-host",
        env = "A2A_DENY_WEBHOOK_HOST",
        value_delimiter = ',',
        value_name = "SUFFIX"
    )]
    pub deny_hosts: Vec<HostSuffix>,

    /// Ports that webhooks may use; without it any
    #[arg(long = "webhook-ports", env = "A2A_WEBHOOK_PORTS", value_delimiter = ',', value_parser = parse_port, value_name = "PORT")]
    pub ports: Vec<u16>,

    /// Take webhooks without TLS; their credentials then travel in the clear
    #[arg(long = "allow-webhook-http", env = "A2A_ALLOW_WEBHOOK_HTTP", value_name = "BOOL", default_value_t = false, default_missing_value = "true", num_args = 0..=1, action = clap::ArgAction::Set)]
    pub allow_http: bool,
}

impl WebhookSettings {
    /// The policy that these settings make.
    #[must_use]
    pub fn policy(self) -> EgressPolicy {
        let Self { allow, deny, allow_hosts, deny_hosts, ports, allow_http } = self;
        EgressPolicy { allow, deny, allow_hosts, deny_hosts, ports, allow_http }
    }
}
