//! Who finishes what was cut off, for as long as the process is up.

use std::{sync::Arc, time::Duration};

use keyloom_run::Run;
use tokio::task::JoinHandle;

use crate::{log::Log, metrics::Metrics};

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
    pub(crate) fn start(run: Arc<Run>, log: Log, metrics: Arc<Metrics>) -> Self {
        Self { run: Arc::clone(&run), task: tokio::spawn(settle(run, log, metrics)) }
    }

    /// Ends it with a last pass. What that does not come to is done by the next process that serves the catalog.
    pub(crate) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
        let _ = tokio::time::timeout(LAST_PASS, self.run.settle()).await;
    }
}

async fn settle(run: Arc<Run>, log: Log, metrics: Arc<Metrics>) {
    let mut every = tokio::time::interval(SETTLE_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        let pass = run.settle().await;
        metrics.settled(pass.as_ref().ok());
        match pass {
            Ok(pass) if pass.left > 0 => log.say("settle", &format!("{} marks could not be settled yet", pass.left)),
            Ok(_) => {}
            Err(problem) => log.say("settle", &problem.to_string()),
        }
    }
}
