//! Where webhooks may point, and the way there.

use a2a_lifecycle::egress::EgressPolicy;
use a2a_runtime::webhooks::WebhookSettings;
use clap::Args;

use crate::webhook::EgressProxy;

#[derive(Args, Clone, Debug)]
pub struct EgressSettings {
    #[command(flatten)]
    pub webhooks: WebhookSettings,

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
        let Self { webhooks, egress_proxy, egress_proxy_trust: trusted } = self;
        (webhooks.policy(), egress_proxy.map(|proxy| proxy.trusted(trusted)))
    }
}
