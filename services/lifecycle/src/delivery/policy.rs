use std::time::Duration;

use super::retry_after::RetryAfter;

/// When to try again, and when to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The n-th retry waits between nothing and the n-th ceiling (full jitter); the last one repeats. With
    /// none named, every retry has the ceiling of [`RetryPolicy::FALLBACK_CEILING`].
    pub ceilings: Vec<Duration>,
    /// Counted attempts of one event, the first included.
    pub max_attempts: u32,
    /// How long after the first attempt a failure still leads to another one. A retry that was due in time
    /// but made later than this is the last.
    pub max_age: Duration,
    /// The longest wait that a receiver may ask for.
    pub retry_after_cap: Duration,
}

impl RetryPolicy {
    pub const FALLBACK_CEILING: Duration = Duration::from_secs(30);

    /// The wait before the `retry`-th retry, counted from 1. `jitter` lies in `[0, 1)`.
    pub(super) fn delay(&self, retry: u32, retry_after: Option<RetryAfter>, jitter: f64) -> Duration {
        let floor = retry_after.map_or(Duration::ZERO, |asked| asked.delay().min(self.retry_after_cap));
        fraction(self.ceiling(retry), jitter).max(floor)
    }

    pub(super) fn ceiling(&self, retry: u32) -> Duration {
        let index = usize::try_from(retry.saturating_sub(1)).unwrap_or(usize::MAX);
        let ceiling = self.ceilings.get(index).or(self.ceilings.last());
        ceiling.copied().unwrap_or(Self::FALLBACK_CEILING)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            ceilings: [2, 10, 30, 120, 600, 1_800, 3_600].map(Duration::from_secs).to_vec(),
            max_attempts: 30,
            max_age: Duration::from_secs(24 * 3_600),
            retry_after_cap: Duration::from_secs(3_600),
        }
    }
}

/// Never more than the whole, whatever the jitter is: `Duration` panics when multiplied by NaN or by too
/// much.
fn fraction(whole: Duration, jitter: f64) -> Duration {
    let part = whole.as_secs_f64() * jitter.clamp(0.0, 1.0);
    Duration::try_from_secs_f64(part).map_or(whole, |part| part.min(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn policy() -> RetryPolicy {
        RetryPolicy { ceilings: vec![secs(2), secs(10)], retry_after_cap: secs(60), ..RetryPolicy::default() }
    }

    #[test]
    fn the_last_ceiling_repeats() {
        let ceilings = [0, 1, 2, 3, u32::MAX].map(|retry| policy().ceiling(retry));
        assert_eq!(ceilings, [secs(2), secs(2), secs(10), secs(10), secs(10)]);
    }

    #[test]
    fn without_ceilings_a_retry_still_waits() {
        let policy = RetryPolicy { ceilings: vec![], ..policy() };
        assert_eq!(policy.delay(1, None, 0.5), RetryPolicy::FALLBACK_CEILING / 2);
    }

    #[test]
    fn jitter_is_full() {
        assert_eq!(policy().delay(2, None, 0.0), secs(0));
        assert_eq!(policy().delay(2, None, 0.5), secs(5));
    }

    #[test]
    fn retry_after_is_a_floor_up_to_the_cap() {
        let asked = |wait| Some(RetryAfter::new(secs(wait)));
        assert_eq!(policy().delay(2, asked(3), 0.5), secs(5));
        assert_eq!(policy().delay(2, asked(30), 0.5), secs(30));
        assert_eq!(policy().delay(2, asked(u64::MAX), 0.5), secs(60));
    }

    #[test]
    fn odd_jitter_and_ceilings_are_harmless() {
        let policy = RetryPolicy { ceilings: vec![Duration::MAX], ..policy() };
        for jitter in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1.0, 2.0] {
            assert!(policy.delay(1, None, jitter) <= Duration::MAX);
        }
        assert_eq!(policy.delay(1, None, -1.0), Duration::ZERO);
    }
}
