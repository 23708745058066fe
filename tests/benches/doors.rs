//! What a door costs: SendMessage (immediate) over gRPC and over HTTP+JSON, in one run:
//! `cargo build --release --bins && cargo bench -p a2a-tests --bench doors`. Nothing else should run on the machine.
#![allow(clippy::expect_used, clippy::panic, reason = "a measurement fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use a2a_tests::{
    clients,
    process::{ServiceOptions, TaskService},
    redis::{RedisOptions, RedisServer},
};
use futures::future::join_all;

const CALLERS: usize = 64;
const CONNECTIONS: usize = 4;
const WARM_UP: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_secs(4);
const ROUNDS: usize = 3;
const BODY: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]},
    "configuration":{"returnImmediately":true}}"#;

#[tokio::main]
async fn main() {
    let redis = RedisServer::start(RedisOptions::default()).await;
    let service = TaskService::start(&redis, ServiceOptions::default()).await;
    let mut ratios = Vec::new();
    for round in 1..=ROUNDS {
        let grpc = over_grpc(&service).await;
        let http = over_http(&service).await;
        println!("round {round}: gRPC {grpc:.0}/s, HTTP+JSON {http:.0}/s, ratio {:.2}", http / grpc);
        ratios.push(http / grpc);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}; at least 0.60 is aimed at", ratios[ROUNDS / 2]);
}

async fn over_grpc(service: &TaskService) -> f64 {
    let channels = join_all((0..CONNECTIONS).map(|_| clients::a2a(service.at.grpc))).await;
    rate(|caller| {
        let mut client = channels[caller % CONNECTIONS].clone();
        async move || drop(client.send_message(clients::send_and_return("hello")).await.expect("send"))
    })
    .await
}

async fn over_http(service: &TaskService) -> f64 {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let url = format!("http://{}/message:send", service.at.http);
    rate(|_| {
        let (client, url) = (client.clone(), url.clone());
        async move || {
            let request = client.post(&url).header("a2a-version", "1.0");
            let sent = request.header("content-type", "application/json").body(BODY).send().await;
            let answer = sent.expect("send").error_for_status().expect("an answer");
            drop(answer.bytes().await.expect("a body"));
        }
    })
    .await
}

/// Calls a second of so many callers, each with one call at a time.
async fn rate<C: AsyncFnMut()>(caller: impl Fn(usize) -> C) -> f64 {
    let (count, begun) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let loops = (0..CALLERS).map(|number| {
        let (mut call, count) = (caller(number), Arc::clone(&count));
        async move {
            while begun.elapsed() < WARM_UP + WINDOW {
                call().await;
                if begun.elapsed() > WARM_UP {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    join_all(loops).await;
    count.load(Ordering::Relaxed) as f64 / WINDOW.as_secs_f64()
}
