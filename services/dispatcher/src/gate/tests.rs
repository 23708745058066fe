use a2a_lifecycle::egress::EgressPolicy;

use super::*;

const BREAKER: BreakerLimits =
    BreakerLimits { failures: 2, open: Duration::from_millis(50), open_cap: Duration::from_secs(1) };

fn origin(url: &str) -> Origin {
    EgressPolicy::default().check_url(url).unwrap().origin
}

fn gate(attempts: u32, retries: u32, per_origin: u32) -> Gate {
    Gate::new(GateLimits { attempts, retries, per_origin, breaker: BREAKER })
}

fn answered(status: u16) -> Outcome {
    Outcome::Answered { status, retry_after: None }
}

async fn why(gate: &Gate, origin: &Origin, is_retry: bool) -> Option<Busy> {
    gate.enter(origin, is_retry).await.err().map(|wait| wait.why)
}

#[tokio::test]
async fn an_origin_takes_as_many_as_it_may() {
    let gate = gate(100, 50, 2);
    let (a, b) = (origin("https://a.example/x"), origin("https://b.example/"));
    let first = gate.enter(&a, false).await.unwrap();
    let _second = gate.enter(&origin("https://a.example:443/y"), false).await.unwrap();
    assert_eq!(why(&gate, &a, false).await, Some(Busy::OriginFull));
    assert!(gate.enter(&b, false).await.is_ok());
    drop(first);
    assert!(gate.enter(&a, false).await.is_ok());
}

#[tokio::test]
async fn a_place_that_is_near_is_waited_for() {
    let gate = gate(100, 50, 1);
    let a = origin("https://a.example/");
    let first = gate.enter(&a, false).await.unwrap();
    let (entered, ()) = tokio::join!(gate.enter(&a, false), async { drop(first) });
    assert!(entered.is_ok());
}

#[tokio::test]
async fn retries_and_first_attempts_do_not_take_each_others_places() {
    let gate = gate(3, 1, 10);
    let a = origin("https://a.example/");
    gate.enter(&a, false).await.unwrap().ended(&answered(200));
    let _retry = gate.enter(&a, true).await.unwrap();
    assert_eq!(why(&gate, &a, true).await, Some(Busy::BudgetSpent));
    let _firsts = [gate.enter(&a, false).await.unwrap(), gate.enter(&a, false).await.unwrap()];
    assert_eq!(why(&gate, &a, false).await, Some(Busy::BudgetSpent));
}

#[tokio::test]
async fn origins_that_never_answered_leave_room_for_those_that_did() {
    let gate = gate(9, 1, 10);
    let good = origin("https://good.example/");
    gate.enter(&good, false).await.unwrap().ended(&answered(204));
    let mut held = Vec::new();
    for n in 0..6 {
        held.push(gate.enter(&origin(&format!("https://new{n}.example/")), false).await.unwrap());
    }
    assert_eq!(why(&gate, &origin("https://new6.example/"), false).await, Some(Busy::BudgetSpent));
    assert!(gate.enter(&good, false).await.is_ok());
}

#[tokio::test]
async fn an_origin_that_only_fails_is_left_alone_but_for_one_probe() {
    let gate = gate(100, 50, 10);
    let a = origin("https://a.example/");
    for _ in 0..2 {
        gate.enter(&a, true).await.unwrap().ended(&Outcome::Failed(Failure::Timeout));
    }
    assert_eq!(gate.broken(), 1);
    let wait = gate.enter(&a, true).await.unwrap_err();
    assert_eq!(wait.why, Busy::BreakerOpen);
    clock::pause(BREAKER.open).await;
    let probe = gate.enter(&a, true).await.unwrap();
    assert_eq!(why(&gate, &a, true).await, Some(Busy::BreakerOpen));
    drop(probe);
    gate.enter(&a, true).await.unwrap().ended(&answered(404));
    assert_eq!(gate.broken(), 0);
    assert!(gate.enter(&a, true).await.is_ok());
}

#[test]
fn only_what_speaks_for_the_origin_counts() {
    for status in [200, 204, 301, 400, 401, 404, 409, 410] {
        assert_eq!(health(&answered(status)), Some(true), "{status}");
    }
    for status in [408, 429, 500, 502, 503, 504] {
        assert_eq!(health(&answered(status)), Some(false), "{status}");
    }
    assert_eq!(health(&Outcome::Failed(Failure::Egress)), None);
    assert_eq!(health(&Outcome::Interrupted), None);
    assert_eq!(health(&Outcome::Failed(Failure::Tls)), Some(false));
}
