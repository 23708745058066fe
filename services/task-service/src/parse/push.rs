//! Push notification configs.

use a2a_lifecycle::egress::EgressPolicy;
use a2a_proto::a2a::TaskPushNotificationConfig;

use super::Violations;
use crate::error::Error;

/// Longest token, scheme or credentials, bytes: they become header values.
const MAX_SECRET_BYTES: usize = 8_192;

/// Reads a config for an existing task.
pub fn push_config(
    config: TaskPushNotificationConfig,
    egress: &EgressPolicy,
) -> Result<TaskPushNotificationConfig, Error> {
    let mut violations = Violations::default();
    if config.task_id.is_empty() {
        violations.add("taskId", "is required");
    }
    check(&mut violations, "", &config, egress);
    violations.finish()?;
    Ok(config)
}

/// Checks all but the task; `prefix` ends with a dot or is empty.
pub(super) fn check(
    violations: &mut Violations,
    prefix: &str,
    config: &TaskPushNotificationConfig,
    egress: &EgressPolicy,
) {
    violations.optional_id(&format!("{prefix}id"), &config.id);
    if config.url.is_empty() {
        violations.add(format!("{prefix}url"), "is required");
    } else if let Err(refusal) = egress.check_url(&config.url) {
        violations.add(format!("{prefix}url"), refusal.to_string());
    }
    header_value(violations, format!("{prefix}token"), &config.token);
    let Some(authentication) = &config.authentication else { return };
    if !is_token(&authentication.scheme) {
        violations.add(
            format!("{prefix}authentication.scheme"),
            "must be an HTTP authentication scheme such as Bearer (RFC 9110 section 11.1)",
        );
    }
    header_value(violations, format!("{prefix}authentication.credentials"), &authentication.credentials);
}

/// What a header can carry as it is: visible ASCII, with spaces inside.
fn header_value(violations: &mut Violations, field: String, text: &str) {
    if text.len() > MAX_SECRET_BYTES {
        violations.add(field, format!("is longer than {MAX_SECRET_BYTES} bytes"));
    } else if !text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) || text.trim() != text {
        violations.add(field, "must be visible ASCII without spaces around it: it is sent as a header");
    }
}

/// A token of RFC 9110 section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= 64 && text.bytes().all(is_token_byte)
}
