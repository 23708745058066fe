use crate::ports;

/// The flags of a service beyond where it listens and which Redis it uses.
///
/// By default webhooks on this machine and over plain HTTP are allowed, since
/// that is where the tests' receivers are.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    flags: Vec<String>,
    environment: Vec<(String, String)>,
    loopback_webhooks: bool,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        Self { flags: Vec::new(), environment: Vec::new(), loopback_webhooks: true }
    }
}

impl ServiceOptions {
    /// Adds `--name value`. An address flag given here replaces the free port
    /// that would have been chosen.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "numbers and text are written as they are")]
    pub fn flag(mut self, name: &str, value: impl ToString) -> Self {
        self.flags.extend([format!("--{name}"), value.to_string()]);
        self
    }

    /// Adds `--name`.
    #[must_use]
    pub fn switch(mut self, name: &str) -> Self {
        self.flags.push(format!("--{name}"));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "numbers and text are written as they are")]
    pub fn env(mut self, name: &str, value: impl ToString) -> Self {
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }

    /// Leaves the guard against webhooks on this machine as the product has it.
    #[must_use]
    pub fn guarded_webhooks(mut self) -> Self {
        self.loopback_webhooks = false;
        self
    }

    pub(super) fn into_arguments(
        self,
        redis_url: &str,
        address_flags: &[&str],
    ) -> (Vec<String>, Vec<(String, String)>) {
        let mut arguments = vec!["--redis-url".to_owned(), redis_url.to_owned()];
        for flag in address_flags.iter().map(|name| format!("--{name}")) {
            if !self.flags.contains(&flag) {
                arguments.extend([flag, format!("127.0.0.1:{}", ports::free())]);
            }
        }
        if self.loopback_webhooks {
            arguments
                .extend(["--allow-webhook-cidr", "127.0.0.0/8", "--allow-webhook-http"].map(str::to_owned));
        }
        if !self.flags.iter().any(|flag| flag == "--key-ring") {
            arguments.push("--plaintext-secrets".to_owned());
        }
        arguments.extend(self.flags);
        (arguments, self.environment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(options: ServiceOptions) -> Vec<String> {
        options.into_arguments("redis://r", &["grpc-addr", "admin-addr"]).0
    }

    #[test]
    fn flags_follow_redis_and_addresses() {
        let arguments =
            arguments(ServiceOptions::default().guarded_webhooks().flag("drain-ms", 5).switch("x"));
        assert_eq!(arguments[..3], ["--redis-url", "redis://r", "--grpc-addr"]);
        assert!(arguments[3].starts_with("127.0.0.1:"));
        assert_eq!(arguments[4], "--admin-addr");
        assert_eq!(arguments[6..], ["--plaintext-secrets", "--drain-ms", "5", "--x"]);
    }

    #[test]
    fn a_given_address_is_kept_and_local_webhooks_are_allowed() {
        let arguments = arguments(ServiceOptions::default().flag("grpc-addr", "127.0.0.1:0"));
        assert_eq!(arguments.iter().filter(|argument| *argument == "--grpc-addr").count(), 1);
        assert!(arguments.contains(&"--allow-webhook-http".to_owned()));
    }
}
