//! Who finishes what was cut off, for as long as the process is up.

use std::{sync::Arc, time::Duration};

use keyloom_run::{Problem, Run, Settled};
use tokio::task::JoinHandle;

/// How often marks are looked at that writers left behind.
const SETTLE_EVERY: Duration = Duration::from_secs(10);
/// How long a stop waits for the last of them.
const LAST_PASS: Duration = Duration::from_secs(3);

/// A task that looks every few seconds.
pub(crate) struct Settling {
    run: Arc<Run>,
    task: JoinHandle<()>,
}

impl Settling {
    /// `passed` hears what became of each pass.
    pub(crate) fn start(run: Arc<Run>, passed: impl Fn(Result<Settled, Problem>) + Send + Sync + 'static) -> Self {
        Self { run: Arc::clone(&run), task: tokio::spawn(settle(run, passed)) }
    }

    /// Ends it with a last pass. What that does not come to is done by the next process that serves the catalog.
    pub(crate) async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
        let _ = tokio::time::timeout(LAST_PASS, self.run.settle()).await;
    }
}

/// Whoever drops it wants no more passes: the run and its store must not outlive their owner.
impl Drop for Settling {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn settle(run: Arc<Run>, passed: impl Fn(Result<Settled, Problem>) + Send + Sync) {
    let mut every = tokio::time::interval(SETTLE_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        passed(run.settle().await);
    }
}
