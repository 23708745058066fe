//! A stream as clients see it: when it begins and when it ends.

use a2a_lifecycle::State;

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
}

impl TaskStream {
    /// A stream that begins with `first` and goes on with `follow`.
    #[must_use]
    pub fn new(first: Option<Item>, follow: Follow, until: Until) -> Self {
        Self { first, follow, until, over: false }
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
        Some(item)
    }
}

impl Until {
    fn is_reached_by(self, item: &Item) -> bool {
        let Some((state, revision)) = item.entered else { return false };
        match self {
            _ if state.is_terminal() => true,
            Self::Terminal => false,
            Self::TurnEnds { after } => state == State::InputRequired && revision > after,
        }
    }
}
