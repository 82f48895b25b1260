use std::{collections::VecDeque, time::Duration};

use crate::random::mix;

const LAST: usize = 256;

/// Something that happened in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// A task took a step.
    Step {
        /// Which task.
        task: u64,
    },
    /// A process crashed.
    Crash {
        /// Which process.
        process: u64,
    },
    /// A process fell asleep.
    Pause {
        /// Which process.
        process: u64,
    },
    /// A message was sent and will arrive.
    Send {
        /// Which message.
        message: u64,
    },
    /// A message was sent and is lost.
    Lose {
        /// Which message.
        message: u64,
    },
    /// A message arrived.
    Arrive {
        /// Which message.
        message: u64,
    },
}

/// What has happened, as one number, and the end of it for those who look for a fault.
pub(super) struct Trace {
    digest: u64,
    last: VecDeque<(Duration, Happening)>,
}

impl Trace {
    pub(super) fn new() -> Self {
        Self { digest: 0, last: VecDeque::with_capacity(LAST) }
    }

    pub(super) fn add(&mut self, at: Duration, happening: Happening) {
        let (kind, which) = match happening {
            Happening::Step { task } => (1, task),
            Happening::Crash { process } => (2, process),
            Happening::Pause { process } => (3, process),
            Happening::Send { message } => (4, message),
            Happening::Lose { message } => (5, message),
            Happening::Arrive { message } => (6, message),
        };
        let micros = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
        self.digest = [kind, which, micros].iter().fold(self.digest, |digest, word| mix(digest ^ mix(*word)));
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back((at, happening));
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn last(&self) -> Vec<(Duration, Happening)> {
        self.last.iter().copied().collect()
    }
}
