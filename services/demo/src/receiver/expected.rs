use axum::http::{HeaderMap, header::AUTHORIZATION};

use super::Checks;

/// What a caller must show. It holds secrets, so it has no Debug.
pub(super) struct Expected {
    authorization: String,
    token: String,
}

impl Expected {
    pub(super) fn new(scheme: &str, credentials: &str, token: &str) -> Self {
        Self { authorization: format!("{} {credentials}", spelled(scheme)), token: token.to_owned() }
    }

    pub(super) fn check(&self, headers: &HeaderMap) -> Checks {
        let shows = |name: &str, value: &str| headers.get(name).is_some_and(|shown| shown == value);
        Checks {
            authorization: shows(AUTHORIZATION.as_str(), &self.authorization),
            x_token: shows("x-a2a-notification-token", &self.token),
            token: shows("a2a-notification-token", &self.token),
        }
    }
}

/// The two common schemes come in their usual spelling, whatever the config said.
fn spelled(scheme: &str) -> &str {
    ["Bearer", "Basic"].into_iter().find(|usual| usual.eq_ignore_ascii_case(scheme)).unwrap_or(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_is_checked_by_itself() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "ApiKey k".parse().unwrap());
        headers.insert("a2a-notification-token", "wrong".parse().unwrap());
        let checks = Expected::new("ApiKey", "k", "t").check(&headers);
        assert_eq!(checks, Checks { authorization: true, x_token: false, token: false });
        assert!(!checks.all());
    }
}
