//! Moments for faults, counted in events: what a seed chose, it chooses again.

/// `count` different numbers of events, ascending, between the first and the
/// last part of `events` in percent.
pub(crate) fn moments(
    rng: &mut fastrand::Rng,
    count: usize,
    events: usize,
    (from, to): (usize, usize),
) -> Vec<usize> {
    let range = events * from / 100..events * to / 100;
    let mut moments: Vec<usize> = rng.choose_multiple(range, count);
    moments.sort_unstable();
    moments
}
