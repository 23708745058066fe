//! A random walk over the calls of clients and agents, on two replicas, held
//! against a small model at each step. `A2A_SEED` replays one.

mod show;
mod walk;
mod watch;
mod world;

use a2a_tests::seed::Seed;

const STEPS: usize = 2_000;

#[tokio::test]
async fn whatever_is_called_the_replicas_do_what_the_model_does() {
    let mut walk = walk::Walk::set(Seed::from_env()).await;
    for _ in 0..STEPS {
        walk.step().await;
    }
    walk.finish().await;
}
