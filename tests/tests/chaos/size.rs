//! How much of everything a run takes.

use std::env;

/// The full schedule, or the short form of it.
pub(crate) fn sized<T>(short: T, full: T) -> T {
    if env::var("A2A_CHAOS").is_ok_and(|size| size == "full") { full } else { short }
}
