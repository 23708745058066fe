//! A stream as clients see it: when it begins and when it ends.

use a2a_lifecycle::State;

use a2a_proto::a2a::stream_response::Payload;

use super::streams::Place;
use crate::{
    error::Error,
    follow::{Follow, Item},
};

/// When a stream is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// At a terminal state.
    Terminal,
    /// At a terminal state, or at INPUT_REQUIRED entered after this revision.
    /// AUTH_REQUIRED leaves it open: the authorisation arrives elsewhere, and
    /// the agent goes on by itself (A2A section 7.6.1).
    TurnEnds {
        /// The revision at which the task took the message.
        after: u64,
    },
}

/// The items of a task, in order, without a gap.
pub struct TaskStream {
    first: Option<Item>,
    follow: Follow,
    until: Until,
    over: bool,
    place: Option<Place>,
    /// Whether it goes on from the revision that the caller named.
    resumed: bool,
}

impl TaskStream {
    /// A stream that begins with `first` and goes on with `follow`.
    #[must_use]
    pub fn new(first: Option<Item>, follow: Follow, until: Until) -> Self {
        Self { first, follow, until, over: false, place: None, resumed: false }
    }

    /// Holds a place among the caller's open streams.
    #[must_use]
    pub(super) fn counted(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Goes on from a revision that the caller has seen.
    #[must_use]
    pub(super) fn resumed(self) -> Self {
        Self { resumed: true, ..self }
    }

    /// Whether it goes on from the revision that the caller named, without a
    /// snapshot.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// The next item; `None` once the stream is over as it should be. A stream
    /// that ends for reasons of our own ends with an error.
    pub async fn next(&mut self) -> Option<Result<Item, Error>> {
        if self.over {
            return None;
        }
        let item = match self.first.take() {
            Some(first) => Ok(first),
            None => self.follow.next().await,
        };
        self.over = item.as_ref().map_or(true, |item| self.until.is_reached_by(item));
        if self.over {
            self.place = None;
        }
        Some(item)
    }
}

impl Until {
    fn is_reached_by(self, item: &Item) -> bool {
        if matches!(item.response.payload, Some(Payload::Message(_))) {
            return true;
        }
        let Some((state, revision)) = item.entered else { return false };
        match self {
            _ if state.is_terminal() => true,
            Self::Terminal => false,
            Self::TurnEnds { after } => state == State::InputRequired && revision > after,
        }
    }
}
