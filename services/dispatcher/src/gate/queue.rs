//! When those who find no place are to ask again.

use std::time::{Duration, Instant};

/// Of a newer duration in the typical one.
const NEWER: u32 = 4;

/// The turns of those who were sent away: each gets the moment at which, at the present pace, a place is free
/// for it. So a long queue asks no more often than places become free, whatever its length.
#[derive(Debug)]
pub(super) struct Queue {
    places: u32,
    /// How long a place is held, as far as is known.
    typical: Duration,
    /// When a place last became free; the start where none did.
    freed_at: Instant,
    /// The last turn given.
    last_turn: Instant,
}

impl Queue {
    pub(super) fn new(places: u32, now: Instant) -> Self {
        Self { places: places.max(1), typical: Duration::ZERO, freed_at: now, last_turn: now }
    }

    /// A place that was held for so long is free again.
    pub(super) fn freed(&mut self, held: Duration, now: Instant) {
        self.typical = (self.typical * (NEWER - 1) + held) / NEWER;
        self.freed_at = now;
    }

    /// The first place is taken: what was before says nothing about the pace.
    pub(super) fn started(&mut self, now: Instant) {
        self.freed_at = now;
    }

    /// The time between two places becoming free; while none does, it grows.
    pub(super) fn pace(&self, now: Instant) -> Duration {
        self.typical.max(now.saturating_duration_since(self.freed_at)) / self.places
    }

    /// The wait for the next turn from `opens` on, at most `most`.
    pub(super) fn turn(&mut self, opens: Instant, now: Instant, most: Duration) -> Duration {
        let turn = self.last_turn.max(opens).max(now) + self.pace(now);
        self.last_turn = turn.min(now + most);
        self.last_turn.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use a2a_runtime::clock;

    use super::*;

    const MOST: Duration = Duration::from_secs(10);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn turns_follow_each_other_at_the_pace_of_the_places() {
        let now = clock::instant();
        let mut queue = Queue::new(4, now);
        queue.freed(ms(400), now);
        assert_eq!(queue.pace(now), ms(25));
        let turns: Vec<_> = (0..3).map(|_| queue.turn(now, now, MOST)).collect();
        assert_eq!(turns, [ms(25), ms(50), ms(75)]);
        assert_eq!(queue.turn(now, now + ms(10), MOST), ms(90));
    }

    #[test]
    fn while_nothing_becomes_free_the_pace_slows_down() {
        let start = clock::instant();
        let queue = Queue::new(2, start);
        assert_eq!(queue.pace(start + ms(10)), ms(5));
        assert_eq!(queue.pace(start + ms(1_000)), ms(500));
    }

    #[test]
    fn no_turn_lies_further_ahead_than_the_most() {
        let now = clock::instant();
        let mut queue = Queue::new(1, now);
        queue.freed(ms(40_000), now);
        for _ in 0..1_000 {
            assert_eq!(queue.turn(now, now, MOST), MOST);
        }
        assert_eq!(queue.turn(now, now + MOST, MOST), MOST);
    }

    #[test]
    fn nobody_has_a_turn_before_it_opens() {
        let now = clock::instant();
        assert_eq!(Queue::new(1, now).turn(now + ms(500), now, MOST), ms(500));
    }
}
