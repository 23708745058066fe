//! Work waits in Redis, whatever dies.

use std::collections::BTreeSet;

use a2a_tests::{
    process::ServiceOptions,
    redis::{AppendOnly, RedisOptions, RedisServer},
};

use super::worker::{Worker, said, under_lease};
use crate::stage::Stage;

#[tokio::test]
async fn work_outlives_the_service_and_redis() {
    let on_disk = RedisOptions { append_only: AppendOnly::Always, ..RedisOptions::default() };
    let redis = RedisServer::start(on_disk).await;
    let mut stage = Stage::set_on(redis, ServiceOptions::default()).await;
    let texts: BTreeSet<String> = (0..20).map(|n| format!("task {n}")).collect();
    for text in &texts {
        stage.submitted(text).await;
    }
    stage.service.kill().await;
    stage.redis.kill().await;
    stage.redis.restart().await;
    stage.service.restart().await;
    let mut worker = Worker::start(&stage.service, 1).await;
    let mut handed = BTreeSet::new();
    for _ in &texts {
        let item = worker.next().await;
        assert_eq!(item.delivery, 1);
        handed.insert(said(&item).to_owned());
        worker.agent.complete_task(under_lease(&item)).await.expect("complete");
    }
    assert_eq!(handed, texts);
}
