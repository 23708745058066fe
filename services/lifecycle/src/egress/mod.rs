//! Where a webhook may point.
//!
//! A webhook url is written by a caller and requested from inside our network, so it is judged twice by one
//! [`EgressPolicy`]: its text at registration ([`EgressPolicy::check_url`]), and every address that its host
//! resolves to at the moment of dialling ([`EgressPolicy::check_ip`]). The second check is the one that
//! holds: a name may resolve to something else tomorrow. An HTTP client asks its resolver only about names,
//! so a literal address ([`Target::literal`]) must be checked by the dialler itself before every request.

mod host;
mod policy;
mod ranges;
mod refusal;
mod setting;
mod target;

#[cfg(test)]
mod configured;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod spellings;

pub use host::{BadHostSuffix, HostSuffix};
pub use policy::{EgressPolicy, MAX_URL_BYTES};
pub use refusal::Refusal;
pub use setting::{BadPort, BadRange, parse_port, parse_range};
pub use target::{Origin, Scheme, Target};
