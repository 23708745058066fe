//! Calls that are refused: each with its code, its reason and the fields at
//! fault, and none with any trace in Redis.

mod agents;
mod ask;
mod order;
mod pushes;
mod reads;
mod sends;
mod values;
mod versions;

use a2a_proto::a2a::{Task, TaskPushNotificationConfig, TaskState};
use a2a_tests::{clients, process::ServiceOptions};
use tonic::Code;
use tonic_types::StatusExt as _;

use self::ask::{Asked, Callers};
use crate::{
    inspect::fingerprint,
    moves::in_state,
    stage::{SOON, Stage},
};

/// A task service with a task of each kind, and a webhook on the live one.
struct Prepared {
    stage: Stage,
    live: Task,
    interrupted: Task,
    finished: Task,
}

/// One refused call.
struct Row {
    name: String,
    call: Asked,
    code: Code,
    reason: &'static str,
    fields: Vec<&'static str>,
}

impl Prepared {
    async fn set() -> Self {
        let mut stage = Stage::set_with(ServiceOptions::default().guarded_webhooks()).await;
        let live = in_state(&mut stage, TaskState::Working).await;
        let interrupted = in_state(&mut stage, TaskState::InputRequired).await;
        let finished = in_state(&mut stage, TaskState::Completed).await;
        let config = clients::push_config("config", "https://example.com/hook");
        let config = TaskPushNotificationConfig { task_id: live.id.clone(), ..config };
        stage.client.create_task_push_notification_config(config).await.expect("create");
        Self { stage, live, interrupted, finished }
    }

    fn callers(&self) -> Callers {
        Callers { client: self.stage.client.clone(), agent: self.stage.agent.clone() }
    }

    /// Asks every call, and shows all that were not refused as they should be.
    async fn check(&self, rows: Vec<Row>) {
        assert!(!rows.is_empty());
        let mut wrong = Vec::new();
        for row in rows {
            wrong.extend(self.problem_with(row).await);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    async fn problem_with(&self, row: Row) -> Option<String> {
        let Row { name, call, code, reason, mut fields } = row;
        let before = fingerprint(&self.stage.redis).await;
        let answer = tokio::time::timeout(SOON, call).await;
        let Ok(Err(status)) = answer else { return Some(format!("{name}: was not refused")) };
        let after = fingerprint(&self.stage.redis).await;
        let mut violated = clients::violations(&status);
        violated.sort_unstable();
        fields.sort_unstable();
        let info = status.get_details_error_info().map(|info| (info.reason, info.domain));
        let (found, domain) = info.unwrap_or_default();
        let changed = before.difference(&after);
        let as_expected = status.code() == code
            && (found.as_str(), domain.as_str()) == (reason, "a2a-protocol.org")
            && violated == fields
            && changed.is_empty();
        (!as_expected).then(|| {
            let (code, message) = (status.code(), status.message());
            format!("{name}: {code:?} {found} {violated:?} {message:?}; redis: {changed:?}")
        })
    }
}

/// A call with malformed fields.
fn malformed(name: impl Into<String>, call: Asked, fields: &[&'static str]) -> Row {
    let fields = fields.to_vec();
    Row { name: name.into(), call, code: Code::InvalidArgument, reason: "INVALID_ARGUMENT", fields }
}

/// A well-formed call that is refused.
fn refused(name: impl Into<String>, call: Asked, code: Code, reason: &'static str) -> Row {
    Row { name: name.into(), call, code, reason, fields: Vec::new() }
}

/// A call for what is not there.
fn not_found(name: impl Into<String>, call: Asked) -> Row {
    refused(name, call, Code::NotFound, "TASK_NOT_FOUND")
}
