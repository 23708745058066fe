use std::time::{Duration, SystemTime};

/// How long a receiver asks us to wait, as its `Retry-After` header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetryAfter(Duration);

impl RetryAfter {
    pub fn new(delay: Duration) -> Self {
        Self(delay)
    }

    /// Seconds, or a date in one of the three forms of HTTP. A date that has passed asks for no wait; a text
    /// of any other form asks for nothing.
    pub fn parse(text: &str, now: SystemTime) -> Option<Self> {
        let text = text.trim_matches([' ', '\t']);
        seconds(text).or_else(|| until(text, now)).map(Self)
    }

    pub fn delay(self) -> Duration {
        self.0
    }
}

/// More seconds than fit are the most that fit: the caller caps them anyway.
fn seconds(text: &str) -> Option<Duration> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Duration::from_secs(text.parse().unwrap_or(u64::MAX)))
}

fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:48:37 GMT: a minute before the date of the examples.
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_717)
    }

    fn parsed(text: &str) -> Option<Duration> {
        RetryAfter::parse(text, now()).map(RetryAfter::delay)
    }

    #[test]
    fn seconds_and_all_three_dates_are_read() {
        for (text, secs) in [
            ("0", 0),
            ("120", 120),
            (" \t7 ", 7),
            ("007", 7),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 60),
            ("Sun Nov  6 08:49:37 1994", 60),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0),
            ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
        ] {
            assert_eq!(parsed(text), Some(Duration::from_secs(secs)), "{text}");
        }
    }

    #[test]
    fn more_seconds_than_fit_are_the_most_that_fit() {
        assert_eq!(parsed("99999999999999999999999"), Some(Duration::from_secs(u64::MAX)));
    }

    #[test]
    fn other_forms_ask_for_nothing() {
        for text in
            ["", " ", "-1", "+5", "1.5", "5s", "soon", "1 2", "1994-11-06T08:49:37Z", "٣", "Sun, 06 Nov"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn part_of_a_second_is_kept() {
        let later = now() + Duration::from_millis(250);
        let wait = RetryAfter::parse("Sun, 06 Nov 1994 08:49:37 GMT", later).unwrap();
        assert_eq!(wait.delay(), Duration::from_millis(59_750));
    }
}
