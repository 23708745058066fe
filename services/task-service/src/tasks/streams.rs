//! How many streams each caller has open on this replica.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::error::Error;

/// A count for each caller.
#[derive(Clone, Debug)]
pub(super) struct OpenStreams {
    most: usize,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// A place among the open streams of a caller; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    caller: String,
    streams: OpenStreams,
}

impl OpenStreams {
    /// At most `most` a caller; 0 is no limit.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// Takes a place, if the caller may have another.
    pub(super) fn enter(&self, caller: &str) -> Result<Place, Error> {
        let mut open = self.open.lock();
        let count = open.entry(caller.to_owned()).or_default();
        if self.most > 0 && *count >= self.most {
            return Err(Error::StreamLimit(self.most));
        }
        *count += 1;
        Ok(Place { caller: caller.to_owned(), streams: self.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock();
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_and_nothing_stays() {
        let streams = OpenStreams::new(1);
        let place = streams.enter("a").unwrap();
        assert!(matches!(streams.enter("a"), Err(Error::StreamLimit(1))));
        assert!(streams.enter("b").is_ok());
        drop(place);
        assert!(streams.open.lock().is_empty());
        assert!(streams.enter("a").is_ok());
    }
}
