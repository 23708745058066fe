//! The clock: the only place that reads it.
//!
//! What is here times the product's own delays (polls, back-off, leases) and stamps
//! records. It never orders events: a task's revision does.

#![allow(clippy::disallowed_methods, reason = "the one home of the clock")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch; 0 on a host whose clock stands before it.
pub fn unix_ms() -> i64 {
    since_epoch_ms(now())
}

pub fn now() -> SystemTime {
    SystemTime::now()
}

/// For measuring how long something took.
pub fn instant() -> Instant {
    Instant::now()
}

/// A delay that is part of the product: a poll interval, a back-off.
pub async fn pause(delay: Duration) {
    tokio::time::sleep(delay).await;
}

/// Waits until the wall clock has reached `unix_ms`, as read when the wait begins.
pub async fn pause_until(unix_ms: i64) {
    pause(remaining(unix_ms, self::unix_ms())).await;
}

fn since_epoch_ms(time: SystemTime) -> i64 {
    let elapsed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

fn remaining(due_ms: i64, now_ms: i64) -> Duration {
    let left_ms = due_ms.saturating_sub(now_ms);
    Duration::from_millis(u64::try_from(left_ms).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_milliseconds() {
        assert_eq!(since_epoch_ms(UNIX_EPOCH + Duration::from_micros(1_500_999)), 1500);
        assert_eq!(since_epoch_ms(UNIX_EPOCH - Duration::from_secs(1)), 0);
    }

    #[test]
    fn a_due_time_in_the_past_needs_no_wait() {
        assert_eq!(remaining(1_000, 1_001), Duration::ZERO);
        assert_eq!(remaining(i64::MIN, i64::MAX), Duration::ZERO);
        assert_eq!(remaining(1_250, 1_000), Duration::from_millis(250));
    }

    #[tokio::test]
    async fn a_pause_is_no_shorter_than_asked() {
        let start = instant();
        pause(Duration::from_millis(5)).await;
        assert!(start.elapsed() >= Duration::from_millis(5));
        let due_ms = unix_ms() + 5;
        pause_until(due_ms).await;
        assert!(unix_ms() >= due_ms);
    }
}
