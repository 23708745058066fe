//! Waiting for other processes, which announce nothing: bounded polls.

use std::{future::Future, net::SocketAddr, time::Duration};

use tokio::{
    net::TcpStream,
    time::{MissedTickBehavior, interval, timeout},
};

const POLL_MS: u64 = 50;

/// Whether something listens within `waited`.
pub(super) async fn listens(addr: SocketAddr, waited: Duration) -> bool {
    poll(waited, || async { TcpStream::connect(addr).await.is_ok() }).await
}

/// Whether the admin endpoint says within `waited` that its process is ready.
pub(super) async fn is_ready(admin: SocketAddr, waited: Duration) -> bool {
    let Ok(client) = reqwest::Client::builder().no_proxy().build() else { return false };
    let url = format!("http://{admin}/readyz");
    let ask = || async { client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) };
    poll(waited, ask).await
}

async fn poll<F: Future<Output = bool>>(waited: Duration, mut ask: impl FnMut() -> F) -> bool {
    let mut ticks = interval(Duration::from_millis(POLL_MS));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let asked = async {
        ticks.tick().await;
        while !ask().await {
            ticks.tick().await;
        }
    };
    timeout(waited, asked).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_is_found_and_its_absence_told() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        assert!(listens(addr, Duration::from_secs(5)).await);
        drop(listener);
        assert!(!listens(addr, Duration::from_millis(20)).await);
    }
}
