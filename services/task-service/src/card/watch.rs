//! Cards that change while the service runs: looked at every so often by their
//! content, since a mounted folder is swapped by a link, and on SIGHUP.

use std::time::Duration;

use a2a_runtime::{clock, error_chain::describe, shutdown::Shutdown};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{
    deck::Cards,
    sources::{BadCards, Files, Sources},
};

impl Sources {
    /// The cards as they are at the start, and the files they came from.
    pub(crate) fn open(self) -> Result<(Cards, Watched), BadCards> {
        let files = self.read()?;
        let cards = Cards::new(self.deal(&files)?);
        Ok((cards.clone(), Watched { sources: self, files, cards }))
    }
}

/// Cards and the files from which they were read last.
pub(crate) struct Watched {
    sources: Sources,
    files: Files,
    cards: Cards,
}

/// Replaces the cards when their files change, until the service stops. New
/// ones that are bad are refused and the old ones stay.
pub(crate) async fn watch(mut watched: Watched, every: Duration, shutdown: Shutdown) {
    let mut hangup = signal(SignalKind::hangup())
        .inspect_err(|error| tracing::warn!(%error, "SIGHUP is not listened for"))
        .ok();
    let mut refused = None;
    loop {
        let asked = tokio::select! {
            () = shutdown.stopping() => return,
            () = clock::pause(every) => false,
            () = next(&mut hangup) => true,
        };
        watched.look(asked, &mut refused);
    }
}

impl Watched {
    /// Files that were refused are not refused again until they change.
    fn look(&mut self, asked: bool, refused: &mut Option<Result<Files, String>>) {
        let files = self.sources.read();
        let seen = files.as_ref().map(Clone::clone).map_err(|error| describe(error));
        let is_new = seen.as_ref().ok() != Some(&self.files);
        if !is_new {
            *refused = None;
        }
        if !asked && (!is_new || refused.as_ref() == Some(&seen)) {
            return;
        }
        match files.and_then(|files| Ok((self.sources.deal(&files)?, files))) {
            Ok((deck, files)) => {
                self.cards.replace(deck.in_place_of(&self.cards, clock::now()));
                self.files = files;
                *refused = None;
                tracing::info!("the agent cards were read anew");
            }
            Err(error) => {
                tracing::warn!(error = %describe(&error), "the new agent cards are refused: the old ones stay");
                *refused = Some(seen);
            }
        }
    }
}

async fn next(hangup: &mut Option<Signal>) {
    match hangup {
        Some(hangup) => _ = hangup.recv().await,
        None => std::future::pending().await,
    }
}
