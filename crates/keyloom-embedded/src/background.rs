use std::{
    io,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::shared::Shared;

/// Wakes a thread of ours, or ends it.
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    sent: bool,
    ended: bool,
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), changed: Condvar::new() }
    }

    pub(crate) fn send(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).sent = true;
        self.changed.notify_one();
    }

    pub(crate) fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.changed.notify_all();
    }

    /// Waits until somebody sends, at most so long; true when it is over.
    pub(crate) fn wait(&self, at_most: Option<Duration>) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |state: &mut State| !state.sent && !state.ended;
        let mut state = match at_most {
            None => self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let waited = self.changed.wait_timeout_while(state, time, idle);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.sent = false;
        state.ended
    }
}

/// The threads of an open store. They end with it.
pub(crate) struct Background {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(shared: &Arc<Shared>) -> io::Result<Self> {
        let mut background = Self { shared: shared.clone(), threads: Vec::new() };
        background.run("keyloom:keep", Shared::keep_forever)?;
        background.run("keyloom:clean", Shared::clean_forever)?;
        background.run("keyloom:sync", Shared::sync_forever)?;
        Ok(background)
    }

    fn run(&mut self, name: &str, work: impl FnOnce(&Shared) + Send + 'static) -> io::Result<()> {
        let shared = self.shared.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared))?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        for signal in [&self.shared.keeper, &self.shared.cleaner, &self.shared.syncs.signal] {
            signal.end();
        }
        for thread in self.threads.drain(..) {
            // One that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}
