//! How long a search goes on, and a sign of life while it does.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use keyloom::design::search::Progress;
use keyloom::serve::LOOKS_MAX;

/// After how long somebody wants to know, and how often then.
const PATIENCE: Duration = Duration::from_secs(1);

/// A limit for a search: so many steps, or as long as somebody says.
pub(super) struct Watch {
    budget: Option<Duration>,
    looks: Cell<u32>,
    began: Cell<Instant>,
    told: Cell<Option<Instant>>,
}

impl Watch {
    pub(super) fn new(budget: Option<Duration>) -> Self {
        Self { budget, looks: Cell::new(0), began: Cell::new(Instant::now()), told: Cell::new(None) }
    }

    /// Something else is looked for, with as much time.
    pub(super) fn begin_anew(&self) {
        self.looks.set(0);
        self.began.set(Instant::now());
    }

    pub(super) fn is_over(&self, progress: &Progress) -> bool {
        self.tell(progress);
        self.looks.set(self.looks.get().saturating_add(1));
        match self.budget {
            Some(budget) => self.began.get().elapsed() > budget,
            None => self.looks.get() > LOOKS_MAX,
        }
    }

    /// A line on a terminal, over the one before.
    fn tell(&self, progress: &Progress) {
        let last = self.told.get().unwrap_or_else(|| self.began.get());
        if last.elapsed() < PATIENCE || !std::io::stderr().is_terminal() {
            return;
        }
        self.told.set(Some(Instant::now()));
        let Progress { part, parts, looked_at, .. } = progress;
        let _ = match part {
            0 => write!(std::io::stderr(), "\r\x1b[Kweighing what else could be"),
            _ => write!(std::io::stderr(), "\r\x1b[Kpart {part} of {parts}: {looked_at} designs looked at"),
        };
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.told.get().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
