//! Who finishes what was cut off, for as long as the process is up.

use std::time::Duration;

use keyloom_run::{Problem, Settled};
use tokio::task::JoinHandle;

use crate::following::Current;

/// How often marks are looked at that writers left behind.
const SETTLE_EVERY: Duration = Duration::from_secs(10);
/// How long a stop waits for the last of them.
const LAST_PASS: Duration = Duration::from_secs(3);

/// A task that looks every few seconds.
pub(crate) struct Settling {
    current: Current,
    task: JoinHandle<()>,
}

impl Settling {
    /// `passed` hears what became of each pass.
    pub(crate) fn start(current: Current, passed: impl Fn(Result<Settled, Problem>) + Send + Sync + 'static) -> Self {
        Self { current: current.clone(), task: tokio::spawn(settle(current, passed)) }
    }

    /// Ends it with a last pass. What that does not come to is done by the next process that serves the catalog.
    pub(crate) async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
        let _ = tokio::time::timeout(LAST_PASS, self.current.run().settle()).await;
    }
}

/// Whoever drops it wants no more passes: the run and its store must not outlive their owner.
impl Drop for Settling {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn settle(current: Current, passed: impl Fn(Result<Settled, Problem>) + Send + Sync) {
    let mut every = tokio::time::interval(SETTLE_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        passed(current.run().settle().await);
    }
}
