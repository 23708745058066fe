use std::net::IpAddr;

use thiserror::Error;

use super::policy::MAX_URL_BYTES;

/// Why a webhook may not point there.
///
/// The text goes to the caller and to logs, so no variant holds the path or the query: either may be a
/// credential.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the url is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
    #[error("the url holds a space, a backslash or a control character: percent-encode it")]
    Character,
    #[error("the url must start with https:// or http://")]
    Scheme,
    #[error("plain http is not allowed here: use https")]
    PlainHttp,
    #[error("the url has no host")]
    NoHost,
    #[error("the url holds a user name or password: put credentials in the authentication of the config")]
    UserInfo,
    #[error("the url cannot be parsed")]
    Malformed(#[source] url::ParseError),
    #[error("the host name has an empty label")]
    EmptyLabel,
    #[error("the host {host} is internal")]
    InternalHost { host: String },
    #[error("the host {host} is not allowed by this deployment")]
    Host { host: String },
    #[error("the address {address} is not allowed by this deployment")]
    Address { address: IpAddr },
    #[error("the port {port} is not allowed by this deployment")]
    Port { port: u16 },
}
