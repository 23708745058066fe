//! What an agent does with a request, as a list of steps; and the script of the
//! sample agent: pure, so that it can be read and tested.

use std::time::Duration;

use a2a_proto::{
    a2a::{Artifact, Message, Part, Role, TaskState, part::Content},
    agent::WorkKind,
};
use a2a_runtime::random;

use crate::event;

/// Decides what to do.
pub type Script = fn(&Asked<'_>) -> Vec<Step>;

/// A request to the agent.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// How the message came.
    pub kind: WorkKind,
    /// The state that its task is in.
    pub state: TaskState,
    /// The message itself.
    pub message: &'a Message,
}

/// One command to the task service, or a wait.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A change of state, with or without a word.
    Move { to: Move, saying: Option<String> },
    /// An artifact or a chunk of one.
    Artifact { artifact: Artifact, append: bool, last: bool },
    /// An answer in place of a task.
    Reply { text: String },
    /// Time that the work takes.
    Pause { pause: Duration },
}

/// Where a task is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Start,
    AskFor,
    Complete,
    Reject,
}

impl Step {
    /// A move without a word.
    #[must_use]
    pub fn silent(to: Move) -> Self {
        Self::Move { to, saying: None }
    }

    /// A move with a message.
    #[must_use]
    pub fn saying(to: Move, text: impl Into<String>) -> Self {
        Self::Move { to, saying: Some(text.into()) }
    }
}

/// The steps of the sample agent.
#[must_use]
pub fn steps(asked: &Asked<'_>) -> Vec<Step> {
    let text = event::text(&asked.message.parts);
    if asked.kind == WorkKind::NewTask && text.to_lowercase().contains("ask") {
        return vec![Step::saying(Move::AskFor, "Which one?")];
    }
    // Work that another agent dropped is handed out in the state that it reached.
    let started = asked.state == TaskState::Working;
    let start = (!started).then(|| Step::saying(Move::Start, "Looking into it"));
    let end = Step::saying(Move::Complete, "Here you are");
    start.into_iter().chain(chunks(&text)).chain([end]).collect()
}

/// An agent's message.
pub(crate) fn message(text: &str) -> Message {
    Message {
        message_id: random::uuid().to_string(),
        role: Role::Agent.into(),
        parts: vec![text_part(text)],
        ..Message::default()
    }
}

/// A part with text.
pub(crate) fn text_part(text: &str) -> Part {
    Part {
        content: Some(Content::Text(text.to_owned())),
        media_type: "text/plain".to_owned(),
        ..Part::default()
    }
}

/// The first chunk replaces what an earlier attempt may have left.
fn chunks(text: &str) -> [Step; 3] {
    [
        chunk(&format!("You wrote: {text}\n"), false, false),
        chunk(&format!("It has {} words", text.split_whitespace().count()), true, false),
        chunk(&format!(" and {} letters.\n", text.chars().count()), true, true),
    ]
}

fn chunk(text: &str, append: bool, last: bool) -> Step {
    let artifact = Artifact {
        artifact_id: "answer".to_owned(),
        name: "answer.txt".to_owned(),
        parts: vec![text_part(text)],
        ..Artifact::default()
    };
    Step::Artifact { artifact, append, last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_task_is_started_answered_in_chunks_and_completed() {
        let steps = steps_of(WorkKind::NewTask, TaskState::Submitted, "two words");
        assert_eq!(steps.first(), Some(&Step::saying(Move::Start, "Looking into it")));
        assert_eq!(steps.last(), Some(&Step::saying(Move::Complete, "Here you are")));
        let ends: Vec<(bool, bool)> = steps.iter().filter_map(ends).collect();
        assert_eq!(ends, [(false, false), (true, false), (true, true)]);
    }

    #[test]
    fn a_question_comes_first_and_only_once() {
        let asked = steps_of(WorkKind::NewTask, TaskState::Submitted, "Ask me");
        assert_eq!(asked, [Step::saying(Move::AskFor, "Which one?")]);
        let answered = steps_of(WorkKind::FollowUp, TaskState::InputRequired, "ask no more");
        assert_eq!(answered.len(), 5);
    }

    #[test]
    fn a_task_at_work_is_not_started_again() {
        let steps = steps_of(WorkKind::NewTask, TaskState::Working, "again");
        assert!(matches!(steps.first(), Some(Step::Artifact { append: false, .. })));
    }

    fn steps_of(kind: WorkKind, state: TaskState, text: &str) -> Vec<Step> {
        steps(&Asked { kind, state, message: &message(text) })
    }

    fn ends(step: &Step) -> Option<(bool, bool)> {
        match step {
            Step::Artifact { append, last, .. } => Some((*append, *last)),
            _ => None,
        }
    }
}
