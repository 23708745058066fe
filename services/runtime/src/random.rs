//! Randomness: the only place that makes any.

#![allow(clippy::disallowed_methods, reason = "the one home of randomness")]

use uuid::Uuid;

/// A random (version 4) UUID, from the operating system's generator.
pub fn uuid() -> Uuid {
    Uuid::new_v4()
}

/// A number in `[0, 1)` for jitter. Not for secrets.
pub fn unit() -> f64 {
    fastrand::f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_version_4_and_differ() {
        assert_eq!(uuid().get_version_num(), 4);
        assert_ne!(uuid(), uuid());
    }

    #[test]
    fn units_stay_below_one() {
        assert!((0..10_000).all(|_| (0.0..1.0).contains(&unit())));
    }
}
