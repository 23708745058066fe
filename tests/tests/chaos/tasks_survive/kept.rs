//! What must be there afterwards: the task as its commands left it, and its log.

use std::collections::HashMap;

use a2a_proto::a2a::Task;
use a2a_tests::redis::RedisServer;
use redis::{AsyncCommands as _, aio::MultiplexedConnection, streams::StreamRangeReply};

use crate::{
    gist::{state, texts},
    walk::{ARTIFACT, Step, Walk},
};

/// State, history and artifact are exactly what was acknowledged.
#[track_caller]
pub(super) fn check_task(walk: &Walk, task: &Task) {
    assert_eq!(state(task), "TASK_STATE_COMPLETED", "{}", task.id);
    let history: Vec<String> = task.history.iter().map(|message| texts(&message.parts)).collect();
    assert_eq!(history, said(walk), "history of {}", task.id);
    let [artifact] = &task.artifacts[..] else { panic!("one artifact, not {:?}", task.artifacts) };
    let parts: Vec<String> = artifact.parts.iter().map(|part| texts(std::slice::from_ref(part))).collect();
    assert_eq!((artifact.artifact_id.as_str(), parts), (ARTIFACT, chunks(walk)), "{}", task.id);
}

/// Each log holds every revision once, and so does the change stream. Answers
/// the number of events.
pub(super) async fn check_logs(redis: &RedisServer, walks: &[Walk]) -> usize {
    let mut connection = redis.client().await;
    let mut changes = changes(&mut connection).await;
    for walk in walks {
        let every: Vec<i64> = (1..=walk.revision).collect();
        assert_eq!(log(&mut connection, &walk.task.id).await, every, "the log of {}", walk.task.id);
        let announced = changes.remove(&walk.task.id).unwrap_or_default();
        assert_eq!(announced, every, "what was announced of {}", walk.task.id);
    }
    assert!(changes.is_empty(), "nobody asked for {:?}", changes.keys());
    walks.iter().map(|walk| walk.done.len() + 1).sum()
}

/// What the client said, and what the agent said before it said something else.
fn said(walk: &Walk) -> Vec<String> {
    let first = walk.task.history.iter().map(|message| texts(&message.parts)).collect();
    let says = |step: &Step| match step {
        Step::Progress(text) | Step::Ask(text) | Step::Answer(text) => Some(text.clone()),
        _ => None,
    };
    let later: Vec<String> = walk.done.iter().filter_map(|(_, step)| says(step)).collect();
    [first, later].concat()
}

fn chunks(walk: &Walk) -> Vec<String> {
    let chunk = |step: &Step| match step {
        Step::Chunk(text) => Some(text.clone()),
        _ => None,
    };
    walk.done.iter().filter_map(|(_, step)| chunk(step)).collect()
}

async fn log(connection: &mut MultiplexedConnection, task: &str) -> Vec<i64> {
    let keys: Vec<String> = connection.keys(format!("a2a:*:events:{task}")).await.expect("KEYS");
    let [key] = &keys[..] else { panic!("one log of {task}, not {keys:?}") };
    let entries: StreamRangeReply = connection.xrange_all(key).await.expect("XRANGE");
    entries.ids.iter().map(|entry| entry.id.trim_end_matches("-0").parse().expect("a revision")).collect()
}

/// The revisions announced of each task, in order.
async fn changes(connection: &mut MultiplexedConnection) -> HashMap<String, Vec<i64>> {
    let mut announced: HashMap<String, Vec<i64>> = HashMap::new();
    let streams: Vec<String> = connection.keys("a2a:*:changes").await.expect("KEYS");
    for stream in streams {
        let entries: StreamRangeReply = connection.xrange_all(stream).await.expect("XRANGE");
        for entry in entries.ids {
            let task = entry.get("task").expect("a task");
            announced.entry(task).or_default().push(entry.get("revision").expect("a revision"));
        }
    }
    announced
}
