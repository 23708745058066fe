//! What the sample agent does with a request: pure, so that it can be read and tested.

use a2a_proto::{a2a::TaskState, agent::WorkKind};

/// One command to the task service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Start { saying: &'static str },
    Chunk { text: String, first: bool, last: bool },
    AskFor { saying: &'static str },
    Complete { saying: &'static str },
}

/// The steps for a request with this text, to a task in this state.
pub(super) fn steps(kind: WorkKind, state: TaskState, text: &str) -> Vec<Step> {
    if kind == WorkKind::NewTask && text.to_lowercase().contains("ask") {
        return vec![Step::AskFor { saying: "Which one?" }];
    }
    // Work that another agent dropped is handed out in the state that it reached.
    let started = state == TaskState::Working;
    let start = (!started).then_some(Step::Start { saying: "Looking into it" });
    start.into_iter().chain(chunks(text)).chain([Step::Complete { saying: "Here you are" }]).collect()
}

/// The first chunk replaces what an earlier attempt may have left.
fn chunks(text: &str) -> [Step; 3] {
    [
        Step::Chunk { text: format!("You wrote: {text}\n"), first: true, last: false },
        Step::Chunk {
            text: format!("It has {} words", text.split_whitespace().count()),
            first: false,
            last: false,
        },
        Step::Chunk { text: format!(" and {} letters.\n", text.chars().count()), first: false, last: true },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_task_is_started_answered_in_chunks_and_completed() {
        let steps = steps(WorkKind::NewTask, TaskState::Submitted, "two words");
        assert_eq!(steps.first(), Some(&Step::Start { saying: "Looking into it" }));
        assert_eq!(steps.last(), Some(&Step::Complete { saying: "Here you are" }));
        let ends: Vec<(bool, bool)> = steps.iter().filter_map(ends).collect();
        assert_eq!(ends, [(true, false), (false, false), (false, true)]);
    }

    #[test]
    fn a_question_comes_first_and_only_once() {
        let asked = steps(WorkKind::NewTask, TaskState::Submitted, "Ask me");
        assert_eq!(asked, [Step::AskFor { saying: "Which one?" }]);
        let answered = steps(WorkKind::FollowUp, TaskState::InputRequired, "ask no more");
        assert_eq!(answered.len(), 5);
    }

    #[test]
    fn a_task_at_work_is_not_started_again() {
        let steps = steps(WorkKind::NewTask, TaskState::Working, "again");
        assert!(matches!(steps.first(), Some(Step::Chunk { first: true, .. })));
    }

    fn ends(step: &Step) -> Option<(bool, bool)> {
        match step {
            Step::Chunk { first, last, .. } => Some((*first, *last)),
            _ => None,
        }
    }
}
