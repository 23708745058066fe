use std::{future::Future, time::Duration};

use tokio::time::{MissedTickBehavior, interval, timeout};

const POLL_MS: u64 = 10;

/// Asks `probe` again and again until it answers, at most for `deadline`.
///
/// This is the only poll of the harness. It is for state outside this process
/// that announces nothing: a port that starts to listen, a row that a service
/// writes. Whatever happens inside this process has an event to wait for.
///
/// # Panics
/// When the deadline passes; `what` says what was awaited.
pub async fn until<T, F, Fut>(what: &str, deadline: Duration, mut probe: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let polled = async {
        let mut ticks = interval(Duration::from_millis(POLL_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Some(answer) = probe().await {
                return answer;
            }
        }
    };
    let Ok(answer) = timeout(deadline, polled).await else { panic!("{what}: not within {deadline:?}") };
    answer
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn the_first_answer_ends_the_poll() {
        let mut asked = 0;
        let answer = until("third time", Duration::from_secs(5), || {
            asked += 1;
            ready((asked == 3).then_some(asked))
        });
        assert_eq!(answer.await, 3);
    }

    #[tokio::test]
    #[should_panic(expected = "never: not within 20ms")]
    async fn the_deadline_says_what_was_awaited() {
        until("never", Duration::from_millis(20), || ready(None::<()>)).await;
    }
}
