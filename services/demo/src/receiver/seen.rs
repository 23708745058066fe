use std::collections::{HashSet, VecDeque};

const IDS_MAX: usize = 10_000;

/// The newest ids, to recognise a delivery that comes again.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    /// Notes the id; without one nothing can be recognised.
    pub(super) fn is_new(&mut self, id: &str) -> bool {
        if id.is_empty() {
            return true;
        }
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > IDS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_new_once_and_old_ones_are_forgotten() {
        let mut seen = Seen::default();
        assert!(seen.is_new("0") && !seen.is_new("0"));
        assert!(seen.is_new("") && seen.is_new(""));
        assert!((1..=IDS_MAX).all(|id| seen.is_new(&id.to_string())));
        assert!(seen.is_new("0"));
        assert_eq!(seen.ids.len(), IDS_MAX);
    }
}
