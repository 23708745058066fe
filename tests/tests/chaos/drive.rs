//! Many tasks with two webhooks each, driven through the agents' door.

use std::sync::atomic::{AtomicUsize, Ordering};

use a2a_proto::a2a::{SendMessageRequest, TaskPushNotificationConfig};
use a2a_tests::{
    clients::{self, push_config, with_push},
    process::ServiceOptions,
    receiver::WebhookReceiver,
};
use futures::{StreamExt as _, stream};

use crate::{
    books::Books,
    calls::answered,
    doors::Doors,
    walk::{Step, Walk},
};

/// The configs of each task, a receiver each.
pub(crate) const CONFIGS: [&str; 2] = ["one", "two"];
/// Tasks under way at once.
const AT_ONCE: usize = 16;

/// Keys name a run too: one that comes later makes tasks of its own.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// How much is driven.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) tasks: usize,
    /// Of each task; at least four.
    pub(crate) events: usize,
}

impl Load {
    /// Events owed to one receiver.
    pub(crate) fn owed(self) -> usize {
        self.tasks * self.events
    }
}

/// A dispatcher with retries and leases of a length that a test outlives. It is
/// the test that kills it, and never an event.
pub(crate) fn killable() -> ServiceOptions {
    ServiceOptions::default()
        .flag("retry-base-ms", 50)
        .flag("retry-cap-ms", 500)
        .flag("webhook-timeout-ms", 3_000)
        .flag("push-lease-ms", 4_000)
        .flag("poison-deaths", 1_000)
}

/// Drives all tasks to their end and answers what is owed for it.
pub(crate) async fn drive(doors: &Doors, load: Load, receivers: [&WebhookReceiver; 2]) -> Books {
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let walks = stream::iter(0..load.tasks).map(|number| walk(doors, load, receivers, (run, number)));
    let walks: Vec<Walk> = walks.buffer_unordered(AT_ONCE).collect().await;
    let mut books = Books::default();
    walks.iter().for_each(|walk| books.owe(walk, &CONFIGS));
    books
}

async fn walk(
    doors: &Doors,
    load: Load,
    receivers: [&WebhookReceiver; 2],
    (run, number): (usize, usize),
) -> Walk {
    let [one, two] = [0, 1].map(|at| config(CONFIGS[at], receivers[at]));
    let mut walk = Walk::begin(doors, &format!("{run}-{number}"), first_message(number, one)).await;
    // Registered before anything else happens, it is owed the task as it was made.
    let two = TaskPushNotificationConfig { task_id: walk.task.id.clone(), ..two };
    answered("register", || async { doors.client().create_task_push_notification_config(two.clone()).await })
        .await;
    walk.step(doors, Step::Start).await;
    for chunk in 4..load.events {
        walk.step(doors, Step::Chunk(format!("chunk {chunk} of {number}"))).await;
    }
    walk.step(doors, Step::Progress("nearly there".to_owned())).await;
    walk.step(doors, Step::Complete("done".to_owned())).await;
    walk
}

fn first_message(number: usize, config: TaskPushNotificationConfig) -> SendMessageRequest {
    with_push(clients::send_and_return(&format!("task {number}")), config)
}

fn config(id: &str, receiver: &WebhookReceiver) -> TaskPushNotificationConfig {
    push_config(id, &receiver.url(&format!("/hooks/{id}")))
}
