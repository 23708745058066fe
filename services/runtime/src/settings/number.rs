//! Numbers with bounds, for `value_parser`.

use std::fmt::{self, Display};
use std::str::FromStr;

/// The text is no number, or one outside the bounds.
#[derive(Debug, PartialEq, Eq)]
pub struct OutOfRange<N> {
    min: N,
    max: Option<N>,
}

/// Accepts `min` or more: `value_parser = at_least(1_u64)`.
pub fn at_least<N>(min: N) -> impl Fn(&str) -> Result<N, OutOfRange<N>> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Copy + Send + Sync + 'static,
{
    move |text| bounded(text, OutOfRange { min, max: None })
}

/// Accepts `min` to `max`, both included.
pub fn between<N>(min: N, max: N) -> impl Fn(&str) -> Result<N, OutOfRange<N>> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Copy + Send + Sync + 'static,
{
    move |text| bounded(text, OutOfRange { min, max: Some(max) })
}

fn bounded<N: FromStr + PartialOrd + Copy>(text: &str, bounds: OutOfRange<N>) -> Result<N, OutOfRange<N>> {
    match text.parse() {
        Ok(number) if number >= bounds.min && bounds.max.is_none_or(|max| number <= max) => Ok(number),
        _ => Err(bounds),
    }
}

impl<N: Display> Display for OutOfRange<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.max {
            None => write!(f, "write a number that is {} or more", self.min),
            Some(max) => write!(f, "write a number from {} to {max}", self.min),
        }
    }
}

impl<N: fmt::Debug + Display> std::error::Error for OutOfRange<N> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_included() {
        assert_eq!(at_least(1_u32)("1"), Ok(1));
        assert_eq!(between(1_u16, 1024)("1024"), Ok(1024));
        assert_eq!(between(0.0, 1.0)("0.5"), Ok(0.5));
    }

    #[test]
    fn the_error_says_what_to_write() {
        for text in ["0", "-1", "", "ten", "5s", "99999999999"] {
            let error = at_least(1_u32)(text).unwrap_err();
            assert_eq!(error.to_string(), "write a number that is 1 or more");
        }
        assert_eq!(between(1_u16, 8)("9").unwrap_err().to_string(), "write a number from 1 to 8");
    }
}
