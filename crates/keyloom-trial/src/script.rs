//! What clients will ask, all of it decided before anything is run: the same seed is the same script, and one that fails can
//! be cut.

use keyloom_run::Caller;
use serde_json::Value as Json;

/// Everything that is asked in one trial.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    /// One after the other, on a good day, before all others.
    pub(crate) opening: Vec<Step>,
    /// Side by side.
    pub(crate) clients: Vec<Vec<Step>>,
    /// One after the other, when it is quiet again.
    pub(crate) tail: Vec<Step>,
}

/// One call, with all its attempts.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Tells it from all others of the script.
    pub(crate) number: usize,
    /// How long its client waits before.
    pub(crate) wait_ms: u64,
    pub(crate) pattern: String,
    pub(crate) caller: Caller,
    /// What is sent: one body, or several for a batch.
    pub(crate) bodies: Vec<Json>,
    /// Inputs that are compared with the version of the row, which the client takes from what it has seen.
    pub(crate) versions: Vec<String>,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Write {
        key: String,
        tries: Vec<Try>,
    },
    Read {
        server: usize,
        order: Option<String>,
        limit: Option<u64>,
        /// From the end to the start, once it was read.
        back: bool,
    },
}

/// One attempt of a write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Try {
    pub(crate) server: usize,
    /// For how long the client waits for the answer.
    pub(crate) patience_ms: u64,
    /// Whether it asks what became of it, where that is not known.
    pub(crate) asks: bool,
    /// Sent although the one before was answered.
    pub(crate) anyway: bool,
}

impl Script {
    /// The numbers of all steps, the last first.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        let all = self.opening.iter().chain(self.clients.iter().flatten()).chain(&self.tail);
        let mut numbers: Vec<usize> = all.map(|step| step.number).collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers
    }

    /// The same without some steps.
    pub(crate) fn without(&self, left_out: &[usize]) -> Self {
        let keep = |steps: &[Step]| -> Vec<Step> {
            steps.iter().filter(|step| !left_out.contains(&step.number)).cloned().collect()
        };
        Self {
            opening: keep(&self.opening),
            clients: self.clients.iter().map(|steps| keep(steps)).filter(|steps| !steps.is_empty()).collect(),
            tail: keep(&self.tail),
        }
    }
}
