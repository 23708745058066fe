//! One number from which a run's random choices follow.

use std::env;

const VARIABLE: &str = "A2A_SEED";

/// The seed of a test. Printed when made, so that a failed run can be replayed
/// with `A2A_SEED=<seed>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// From the environment, or a new one.
    ///
    /// # Panics
    /// When `A2A_SEED` is no number.
    #[must_use]
    pub fn from_env() -> Self {
        let seed = match env::var(VARIABLE) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{VARIABLE}={text}: write a whole number")),
            Err(_) => fastrand::u64(..),
        };
        println!("{VARIABLE}={seed}");
        Self(seed)
    }

    /// A given one.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator named `stream`: choices drawn from one stream do not move
    /// those of another.
    #[must_use]
    pub fn rng(self, stream: &str) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.0 ^ fnv1a(stream.as_bytes()))
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(mut rng: fastrand::Rng) -> Vec<u64> {
        (0..8).map(|_| rng.u64(..)).collect()
    }

    #[test]
    fn a_seed_replays() {
        assert_eq!(draw(Seed::new(7).rng("faults")), draw(Seed::new(7).rng("faults")));
    }

    #[test]
    fn streams_and_seeds_differ() {
        assert_ne!(draw(Seed::new(7).rng("faults")), draw(Seed::new(7).rng("load")));
        assert_ne!(draw(Seed::new(7).rng("faults")), draw(Seed::new(8).rng("faults")));
    }
}
