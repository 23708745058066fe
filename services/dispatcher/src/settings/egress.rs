//! Where webhooks may point.

use a2a_lifecycle::egress::{EgressPolicy, HostSuffix, parse_port, parse_range};
use clap::Args;
use ipnet::IpNet;

use crate::webhook::EgressProxy;

#[derive(Args, Clone, Debug)]
pub struct EgressSettings {
    /// Ranges that webhooks may point to although they are not public; comma-separated
    #[arg(long, env = "A2A_ALLOW_WEBHOOK_CIDR", value_name = "RANGE", value_delimiter = ',', value_parser = parse_range)]
    pub allow_webhook_cidr: Vec<IpNet>,

    /// Ranges that webhooks must not point to, whatever else is allowed; comma-separated
    #[arg(long, env = "A2A_DENY_WEBHOOK_CIDR", value_name = "RANGE", value_delimiter = ',', value_parser = parse_range)]
    pub deny_webhook_cidr: Vec<IpNet>,

    /// The only hosts that webhooks may point to, with all names below them; comma-separated [default: any]
    #[arg(long, env = "A2A_ALLOW_WEBHOOK_HOST", value_name = "HOST", value_delimiter = ',')]
    pub allow_webhook_host: Vec<HostSuffix>,

    /// Hosts that webhooks must not point to, with all names below them; comma-separated
    #[arg(long, env = "A2A_DENY_WEBHOOK_HOST", value_name = "HOST", value_delimiter = ',')]
    pub deny_webhook_host: Vec<HostSuffix>,

    /// The only ports that webhooks may point to; comma-separated [default: any]
    #[arg(long, env = "A2A_WEBHOOK_PORTS", value_name = "PORT", value_delimiter = ',', value_parser = parse_port)]
    pub webhook_ports: Vec<u16>,

    /// Whether webhooks may be plain http
    #[arg(long, env = "A2A_ALLOW_WEBHOOK_HTTP")]
    pub allow_webhook_http: bool,

    /// A forward proxy that all requests go through, which may need user:password; names are resolved and checked
    /// before they are handed to it, and it must do the same: it resolves them again
    #[arg(long, env = "A2A_EGRESS_PROXY", value_name = "URL", hide_env_values = true)]
    pub egress_proxy: Option<EgressProxy>,

    /// Leave it to the proxy which names lead where they may: for networks where only it can resolve them
    #[arg(long, env = "A2A_EGRESS_PROXY_TRUST", requires = "egress_proxy")]
    pub egress_proxy_trust: bool,
}

impl EgressSettings {
    pub(super) fn into_parts(self) -> (EgressPolicy, Option<EgressProxy>) {
        let Self {
            allow_webhook_cidr,
            deny_webhook_cidr,
            allow_webhook_host,
            deny_webhook_host,
            webhook_ports,
            allow_webhook_http,
            egress_proxy,
            egress_proxy_trust: trusted,
        } = self;
        let policy = EgressPolicy {
            allow: allow_webhook_cidr,
            deny: deny_webhook_cidr,
            allow_hosts: allow_webhook_host,
            deny_hosts: deny_webhook_host,
            ports: webhook_ports,
            allow_http: allow_webhook_http,
        };
        (policy, egress_proxy.map(|proxy| proxy.trusted(trusted)))
    }
}
