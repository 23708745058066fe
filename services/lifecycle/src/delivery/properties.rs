use std::time::Duration;

use proptest::prelude::*;

use super::{Attempt, Failure, Outcome, RetryAfter, RetryPolicy, Verdict, decide};

fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn policies() -> impl Strategy<Value = RetryPolicy> {
    let ceilings = prop::collection::vec(millis(0..10_000_000), 0..8);
    (ceilings, 0..40_u32, millis(0..100_000_000), millis(0..10_000_000)).prop_map(
        |(ceilings, max_attempts, max_age, retry_after_cap)| RetryPolicy {
            ceilings,
            max_attempts,
            max_age,
            retry_after_cap,
        },
    )
}

fn attempts() -> impl Strategy<Value = Attempt> {
    let number = prop_oneof![1..50_u32, any::<u32>()];
    let at_ms = || prop_oneof![0..200_000_000_i64, any::<i64>()];
    (number, at_ms(), at_ms(), 0.0..1.0_f64).prop_map(|(number, first_at_ms, now_ms, jitter)| Attempt {
        number,
        first_at_ms,
        now_ms,
        jitter,
    })
}

fn failures() -> impl Strategy<Value = Outcome> {
    use Failure::{Connect, Dns, Protocol, Reset, Timeout, Tls};
    prop::sample::select(vec![Connect, Dns, Protocol, Reset, Timeout, Tls]).prop_map(Outcome::Failed)
}

fn retried_answers() -> impl Strategy<Value = Outcome> {
    let status =
        prop_oneof![0..200_u16, 300..400_u16, 500..=u16::MAX, Just(408), Just(409), Just(425), Just(429)];
    let retry_after =
        prop::option::of(any::<u64>().prop_map(|secs| RetryAfter::new(Duration::from_secs(secs))));
    (status, retry_after).prop_map(|(status, retry_after)| Outcome::Answered { status, retry_after })
}

fn transient() -> impl Strategy<Value = Outcome> {
    prop_oneof![failures(), retried_answers()]
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let answered = any::<u16>().prop_map(|status| Outcome::Answered { status, retry_after: None });
    prop_oneof![transient(), answered, Just(Outcome::Failed(Failure::Egress)), Just(Outcome::Interrupted)]
}

proptest! {
    #[test]
    fn a_delay_stays_below_the_ceiling_or_the_cap(
        policy in policies(), outcome in outcomes(), attempt in attempts(),
    ) {
        if let Verdict::Later { delay, counted } = decide(&policy, &outcome, attempt) {
            let retry = if counted { attempt.number } else { 1 };
            prop_assert!(delay <= policy.ceiling(retry).max(policy.retry_after_cap));
        }
    }

    #[test]
    fn a_receiver_gets_the_wait_it_asks_for_up_to_the_cap(
        policy in policies(), outcome in retried_answers(), attempt in attempts(),
    ) {
        let Outcome::Answered { retry_after: Some(asked), .. } = outcome else { return Ok(()) };
        if let Verdict::Later { delay, .. } = decide(&policy, &outcome, attempt) {
            prop_assert!(delay >= asked.delay().min(policy.retry_after_cap));
        }
    }

    #[test]
    fn no_retry_follows_the_last_attempt(
        policy in policies(), outcome in transient(), attempt in attempts(), beyond in 0..5_u32,
    ) {
        let number = policy.max_attempts + beyond;
        let verdict = decide(&policy, &outcome, Attempt { number, ..attempt });
        prop_assert!(matches!(verdict, Verdict::Park { .. }), "{verdict:?}");
    }

    #[test]
    fn only_our_own_fault_is_not_counted(
        policy in policies(), outcome in outcomes(), attempt in attempts(),
    ) {
        let verdict = decide(&policy, &outcome, attempt);
        let uncounted = matches!(verdict, Verdict::Later { counted: false, .. });
        prop_assert_eq!(uncounted, outcome == Outcome::Interrupted);
    }

    #[test]
    fn a_receiver_that_always_fails_ends_parked_in_time(
        policy in policies(), outcome in transient(), jitter in 0.0..1.0_f64,
    ) {
        let mut attempt = Attempt { number: 1, first_at_ms: 0, now_ms: 0, jitter };
        while let Verdict::Later { delay, .. } = decide(&policy, &outcome, attempt) {
            attempt.number += 1;
            attempt.now_ms += i64::try_from(delay.as_millis()).unwrap();
        }
        prop_assert!(attempt.number <= policy.max_attempts.max(1));
    }
}
