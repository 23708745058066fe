//! What the service should hold: every task, its past, and what was told of it.
//! Decided by the lifecycle's own rules; everything around them is written anew.

use a2a_lifecycle::{
    Refusal, Rules, State, Task,
    transition::{
        ArtifactCommand, ArtifactWrite, HeldArtifact, StatusCommand, expect_revision, set_status,
        take_message, update_artifact,
    },
};

use super::show::{Written, chunk_line, line, status_line};

pub(super) const RULES: Rules = Rules { max_history_messages: 12, late_artifacts: false };

/// A task.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) tenant: &'static str,
    pub(super) now: Task,
    /// The current status message, and the revision at which it came.
    said: (u64, String),
    /// Messages behind the revisions at which they came.
    history: Vec<(u64, String)>,
    artifacts: Vec<Held>,
    /// What subscribers are told, each at its revision; the first is the task.
    pub(super) events: Vec<(u64, String)>,
}

#[derive(Clone, Debug)]
struct Held {
    written: Written,
    closed: bool,
}

/// A chunk of an artifact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    pub(super) artifact: &'a str,
    pub(super) part: &'a str,
    pub(super) append: bool,
    pub(super) last: bool,
}

impl Known {
    /// A task that a message has just made.
    pub(super) fn new(id: &str, tenant: &'static str, context: &str, text: &str, at_ms: i64) -> Self {
        let now = Task {
            state: State::Submitted,
            revision: 1,
            status_at_ms: at_ms,
            context: context.to_owned(),
            history_len: 1,
            cancelable: true,
        };
        let mut made = Self {
            id: id.to_owned(),
            tenant,
            now,
            said: (0, String::new()),
            history: vec![(1, text.to_owned())],
            artifacts: Vec::new(),
            events: Vec::new(),
        };
        made.events.push((1, made.shown()));
        made
    }

    pub(super) fn is_live(&self) -> bool {
        !self.now.state.is_terminal()
    }

    /// The whole task in a line.
    pub(super) fn shown(&self) -> String {
        let history: Vec<String> = self.history.iter().map(|(_, text)| text.clone()).collect();
        let artifacts: Vec<Written> = self.artifacts.iter().map(|held| held.written.clone()).collect();
        line(self.now.state.name(), &self.said.1, &history, &artifacts)
    }

    /// The status changes; what was said before becomes history, at its place.
    pub(super) fn set_status(
        &mut self,
        command: StatusCommand,
        said: &str,
        expected: Option<u64>,
    ) -> Result<(), Refusal> {
        expect_revision(&self.now, expected)?;
        let decided = set_status(&self.now, command, self.now.status_at_ms)?;
        let before = std::mem::replace(&mut self.said, (decided.revision, said.to_owned()));
        if !before.1.is_empty() {
            self.history.push(before);
            self.history.sort_by_key(|(revision, _)| *revision);
        }
        self.now.history_len = self.history.len();
        (self.now.revision, self.now.state) = (decided.revision, decided.state);
        self.now.cancelable = decided.cancelable;
        self.events.push((decided.revision, status_line(decided.state.name(), said)));
        Ok(())
    }

    /// An artifact is put, or a chunk added to it.
    pub(super) fn write(&mut self, chunk: Chunk<'_>, expected: Option<u64>) -> Result<(), Refusal> {
        let Chunk { artifact, part, append, last } = chunk;
        expect_revision(&self.now, expected)?;
        let place = self.artifacts.iter().position(|held| held.written.0 == artifact);
        let held = place.map(|place| HeldArtifact { closed: self.artifacts[place].closed });
        let command = ArtifactCommand { append, last_chunk: last, held };
        let decided = update_artifact(&self.now, command, &RULES)?;
        let place = place.unwrap_or_else(|| {
            self.artifacts.push(Held { written: (artifact.to_owned(), Vec::new()), closed: false });
            self.artifacts.len() - 1
        });
        let held = &mut self.artifacts[place];
        if decided.write == ArtifactWrite::Put {
            held.written.1.clear();
        }
        held.written.1.push(part.to_owned());
        held.closed = decided.closes;
        self.now.revision = decided.revision;
        self.events.push((decided.revision, chunk_line(artifact, part, append, last)));
        Ok(())
    }

    /// The client says more; subscribers are told nothing.
    pub(super) fn take(&mut self, context: Option<&str>, text: &str) -> Result<(), Refusal> {
        self.now.revision = take_message(&self.now, context, &RULES)?;
        self.history.push((self.now.revision, text.to_owned()));
        self.now.history_len = self.history.len();
        Ok(())
    }
}

/// The reason that the wire gives.
pub(super) fn reason(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::TaskTerminal { .. } => "UNSUPPORTED_OPERATION",
        Refusal::ContextMismatch => "CONTEXT_MISMATCH",
        Refusal::HistoryLimit { .. } => "RESOURCE_EXHAUSTED",
        Refusal::NotCancelable { .. } | Refusal::NotCancelableNow => "TASK_NOT_CANCELABLE",
        Refusal::StateConflict { .. } => "TASK_STATE_CONFLICT",
        Refusal::ArtifactClosed => "INVALID_ARGUMENT",
        Refusal::RevisionMismatch { .. } => "REVISION_MISMATCH",
    }
}
