//! The one place that opens outbound connections.
//!
//! Where they may go is decided twice before each: by the url's text, which also covers literal addresses, and
//! by the [`resolver`], which returns nothing to dial but what the policy opens. No redirect is followed, no
//! proxy of the environment is used, and nothing of an answer but its status and `Retry-After` is looked at.

mod failure;
mod proxy;
mod request;
mod resolver;
mod signature;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use a2a_lifecycle::delivery::{Failure, Outcome, RetryAfter};
use a2a_lifecycle::egress::{EgressPolicy, Refusal, Target};
use a2a_runtime::clock;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response};
use thiserror::Error;

pub use proxy::{BadProxy, EgressProxy};
pub use request::{BadHeader, Labels, webhook_id};
pub use resolver::{Lookup, system};
pub use signature::{BadSecret, JwtSigner, SecretScope, Signer, SigningSecret};

use resolver::Resolver;
use signature::Signed;

/// How much of an answer's body is read, so that its connection can be used again.
const BODY_MAX_BYTES: usize = 64 * 1024;
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
const USER_AGENT: &str = concat!("a2a-dispatcher/", env!("CARGO_PKG_VERSION"));

/// What requests look like, and how long they may take.
#[derive(Clone, Debug)]
pub struct WebhookLimits {
    /// Covers connecting, the request, and the answer with its body.
    pub timeout: Duration,
    pub max_idle_per_origin: usize,
    pub content_type: HeaderValue,
    /// Trusted beside the system's authorities.
    pub extra_authorities: Vec<Certificate>,
    pub signer: Arc<Signer>,
    /// What all requests go through.
    pub proxy: Option<EgressProxy>,
}

#[derive(Debug, Error)]
#[error("cannot set up the HTTP client for webhooks: does the system have CA certificates?")]
pub struct ClientError(#[source] reqwest::Error);

/// The client of all webhooks.
#[derive(Clone)]
pub struct Webhooks {
    client: Client,
    policy: Arc<EgressPolicy>,
    timeout: Duration,
    content_type: HeaderValue,
    signer: Arc<Signer>,
    /// Names are checked by it where a proxy resolves them again.
    checked: Option<Arc<Resolver>>,
}

/// How an attempt went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub outcome: Outcome,
    /// Up to the status line, or the failure.
    pub duration: Duration,
}

impl Webhooks {
    pub fn new(policy: EgressPolicy, limits: WebhookLimits, lookup: Lookup) -> Result<Self, ClientError> {
        let WebhookLimits { timeout, max_idle_per_origin, content_type, extra_authorities, signer, proxy } =
            limits;
        let policy = Arc::new(policy);
        let resolver =
            Resolver { policy: policy.clone(), lookup, proxy: proxy.as_ref().map(EgressProxy::host) };
        let checked = proxy.as_ref().is_some_and(|proxy| !proxy.trusted).then(|| Arc::new(resolver.clone()));
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .user_agent(USER_AGENT)
            .timeout(timeout)
            .pool_max_idle_per_host(max_idle_per_origin)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .tls_certs_merge(extra_authorities)
            .dns_resolver(resolver);
        if let Some(proxy) = &proxy {
            builder = builder.proxy(proxy.as_reqwest().map_err(ClientError)?);
        }
        let client = builder.build().map_err(ClientError)?;
        Ok(Self { client, policy, timeout, content_type, signer, checked })
    }

    /// The longest that an attempt takes.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Where `url` leads, if it may be requested at all.
    pub fn target(&self, url: &str) -> Result<Target, Refusal> {
        self.policy.check_url(url)
    }

    /// The headers of an attempt to send `body`.
    pub fn headers(&self, labels: &Labels<'_>, target: &Target, body: &[u8]) -> Result<HeaderMap, BadHeader> {
        let id = webhook_id(labels.task, &labels.config.id, labels.event_id);
        let mut headers = request::headers(labels, &id, self.content_type.clone())?;
        let signed = Signed { target, task: labels.task, id: &id, at_s: labels.at_ms / 1_000, body };
        self.signer.sign(&mut headers, &signed);
        Ok(headers)
    }

    /// Makes one attempt. The status line decides it; the body is read only to free the connection.
    pub async fn send(&self, target: &Target, headers: HeaderMap, body: Bytes) -> Answer {
        let started = clock::instant();
        if let Some(failure) = self.refused_name(target).await {
            return Answer { outcome: Outcome::Failed(failure), duration: started.elapsed() };
        }
        let sent = self.client.post(target.url.clone()).headers(headers).body(body).send().await;
        let duration = started.elapsed();
        match sent {
            Ok(response) => {
                let outcome = answered(&response);
                drain(response).await;
                Answer { outcome, duration }
            }
            Err(error) => Answer { outcome: failed(error), duration },
        }
    }

    /// Why a proxy must not be asked for the target. A literal address was checked with the url.
    async fn refused_name(&self, target: &Target) -> Option<Failure> {
        let resolver = self.checked.as_ref()?;
        let name = target.url.domain()?;
        match tokio::time::timeout(self.timeout, resolver.check(name)).await {
            Ok(checked) => checked.err().map(|error| error.failure()),
            Err(_) => Some(Failure::Dns),
        }
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("policy", &self.policy).finish_non_exhaustive()
    }
}

fn answered(response: &Response) -> Outcome {
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    Outcome::Answered {
        status: response.status().as_u16(),
        retry_after: retry_after.and_then(|text| RetryAfter::parse(text, clock::now())),
    }
}

fn failed(error: reqwest::Error) -> Outcome {
    let failure: Failure = failure::classify(&error);
    let error = error.without_url();
    tracing::debug!(%failure, error = a2a_runtime::error_chain::describe(&error), "no answer");
    Outcome::Failed(failure)
}

async fn drain(mut response: Response) {
    let mut left = BODY_MAX_BYTES;
    while let Ok(Some(chunk)) = response.chunk().await {
        if chunk.len() >= left {
            return;
        }
        left -= chunk.len();
    }
}
