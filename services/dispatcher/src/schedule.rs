//! How long the waits between the attempts of one event may get.

use std::time::Duration;

use backoff::ExponentialBackoffBuilder;
use backoff::backoff::Backoff;

const MULTIPLIER: f64 = 2.0;

/// From `base` on each twice the one before it, up to `cap`: the last one, which repeats. Only calculated
/// here; the jitter is the lifecycle's, and the waiting is a due time in Redis.
pub fn ceilings(base: Duration, cap: Duration) -> Vec<Duration> {
    let mut doubling = ExponentialBackoffBuilder::new()
        .with_initial_interval(base.min(cap))
        .with_multiplier(MULTIPLIER)
        .with_max_interval(cap)
        .with_randomization_factor(0.0)
        .with_max_elapsed_time(None)
        .build();
    let mut ceilings = Vec::new();
    while let Some(next) = doubling.next_backoff() {
        ceilings.push(next);
        if next >= cap || next.is_zero() {
            break;
        }
    }
    ceilings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(base: u64, cap: u64) -> Vec<u64> {
        let ceilings = ceilings(Duration::from_millis(base), Duration::from_millis(cap));
        ceilings.iter().map(|ceiling| u64::try_from(ceiling.as_millis()).unwrap()).collect()
    }

    #[test]
    fn ceilings_double_up_to_the_cap() {
        assert_eq!(ms(1_000, 10_000), [1_000, 2_000, 4_000, 8_000, 10_000]);
        assert_eq!(ms(1_000, 600_000).last(), Some(&600_000));
        assert_eq!(ms(1_000, 600_000).len(), 11);
    }

    #[test]
    fn a_base_above_the_cap_is_the_cap() {
        assert_eq!(ms(5_000, 1_000), [1_000]);
        assert_eq!(ms(1_000, 1_000), [1_000]);
        assert_eq!(ms(0, 1_000), [0]);
    }
}
