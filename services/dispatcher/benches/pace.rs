//! How fast the dispatcher is, as its receivers see it: `cargo bench -p a2a-dispatcher`. Prints figures; nothing
//! else should run on the machine.

#![allow(clippy::unwrap_used, reason = "a measurement fails by panicking")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use a2a_runtime::clock;
use a2a_store::Store;
use support::process::Process;
use support::receiver::{Receiver, Reply};
use support::redis::Redis;
use support::soon;
use support::tasks::{change, config, create};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Task and revision.
type Event = (String, u64);

/// A receiver that answers 200 at once and tells when each event came.
struct Sink {
    addr: SocketAddr,
    events: UnboundedReceiver<(Event, Instant)>,
}

#[tokio::main]
async fn main() {
    drain(5_000, 1).await;
    drain(100, 50).await;
    let alone = paced("300/s alone", 300, 3_000, false).await;
    let alone_slowly = paced("50/s alone", 50, 500, false).await;
    let beside = paced("50/s beside 800 events to a receiver that hangs", 50, 500, true).await;
    println!("p99 beside / alone: {:.2}", beside / alone_slowly);
    println!("targets: p50 <= 2 ms, p99 <= 15 ms at 300/s (here {alone:.1} ms)");
}

async fn drain(tasks: usize, changes: u64) {
    let (redis, mut sink) = (Redis::start().await, Sink::start().await);
    let store = redis.store();
    for n in 0..tasks {
        let task = format!("task{n}");
        create(&store, &task, config(&task, &sink.url(&task))).await;
        change(&store, &task, changes - 1).await;
    }
    let started = clock::instant();
    let _process = Process::start(&redis.url()).await;
    let count = tasks * changes as usize;
    let first = sink.next().await.1;
    let mut last = first;
    for _ in 1..count {
        last = sink.next().await.1;
    }
    let rate = (count - 1) as f64 / (last - first).as_secs_f64();
    println!("drain of {tasks} lanes of {changes}: {rate:.0}/s, after a start of {:?}", first - started);
}

/// Changes at a steady rate, whatever becomes of them; answers the 99th percentile, ms.
async fn paced(name: &str, per_second: u32, count: u32, beside_hanging: bool) -> f64 {
    const TASKS: u32 = 100;
    let (redis, mut sink) = (Redis::start().await, Sink::start().await);
    let hanging = Receiver::start(|_| Reply::Silence).await;
    let store = redis.store();
    let _process = Process::start(&redis.url()).await;
    for n in 0..TASKS {
        let task = format!("task{n}");
        create(&store, &task, config(&task, &sink.url(&task))).await;
        sink.next().await;
    }
    for n in 0..if beside_hanging { 800 } else { 0 } {
        let task = format!("slow{n}");
        create(&store, &task, config(&task, &hanging.url())).await;
    }
    let start = clock::instant();
    let (sender, mut made) = unbounded_channel();
    for n in 0..count {
        let at = Duration::from_secs(1) * n / per_second;
        clock::pause((start + at).saturating_duration_since(clock::instant())).await;
        tokio::spawn(make(store.clone(), format!("task{}", n % TASKS), sender.clone()));
    }
    let mut made_at = HashMap::new();
    for _ in 0..count {
        let (event, at) = soon(made.recv()).await.unwrap();
        made_at.insert(event, at);
    }
    let mut lags = Vec::new();
    for _ in 0..count {
        let (event, at) = sink.next().await;
        lags.push(at.saturating_duration_since(made_at[&event]).as_secs_f64() * 1e3);
    }
    lags.sort_by(f64::total_cmp);
    let at = |share: f64| lags[((lags.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: commit to receipt p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    at(0.99)
}

/// Makes one change, and tells when its commit began.
async fn make(store: Store, task: String, made: UnboundedSender<(Event, Instant)>) {
    let revision = store.head(&task).await.unwrap().unwrap().revision + 1;
    let at = clock::instant();
    change(&store, &task, 1).await;
    made.send(((task, revision), at)).unwrap();
}

impl Sink {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (sender, events) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take(stream, sender.clone()));
            }
        });
        Self { addr, events }
    }

    fn url(&self, task: &str) -> String {
        format!("http://{}/{task}", self.addr)
    }

    async fn next(&mut self) -> (Event, Instant) {
        soon(self.events.recv()).await.unwrap()
    }
}

async fn take(mut stream: TcpStream, events: UnboundedSender<(Event, Instant)>) -> Option<()> {
    let mut held = Vec::new();
    loop {
        let (head, whole) = loop {
            if let Some(lengths) = lengths(&held) {
                break lengths;
            }
            if stream.read_buf(&mut held).await.ok()? == 0 {
                return None;
            }
        };
        let at = clock::instant();
        let text = String::from_utf8_lossy(&held[..head]).to_ascii_lowercase();
        let task = text.split(['/', ' ']).nth(2)?.to_owned();
        let revision = header(&text, "a2a-event-sequence").unwrap_or(0);
        held.drain(..whole);
        events.send(((task, revision), at)).ok()?;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.ok()?;
    }
}

/// Of the head and of the whole request, once all of it is there.
fn lengths(held: &[u8]) -> Option<(usize, usize)> {
    let head = held.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&held[..head]).to_ascii_lowercase();
    let whole = head + usize::try_from(header(&text, "content-length")?).ok()?;
    (held.len() >= whole).then_some((head, whole))
}

fn header(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().parse().ok()
}
