//! Syncs the journal: for writers that wait for it, or now and then.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use keyloom_store::Fault;
use tokio::sync::watch;

use crate::{background::Signal, journal, options::Durability, shared::Shared};

/// How often the journal is synced when nobody waits for it. The engine syncs it before it writes a tree, and holds up
/// all writers meanwhile; what is on disk by then makes that short.
const NOW_AND_THEN: Duration = Duration::from_millis(50);

/// Writers that wait for the disk. One sync serves all that were committed before it began.
pub(crate) struct Syncs {
    committed: AtomicU64,
    synced: watch::Sender<Synced>,
    pub(crate) signal: Signal,
}

#[derive(Debug, Clone, Copy)]
struct Synced {
    up_to: u64,
    failed: bool,
}

impl Syncs {
    pub(crate) fn new() -> Self {
        let synced = Synced { up_to: 0, failed: false };
        Self { committed: AtomicU64::new(0), synced: watch::Sender::new(synced), signal: Signal::new() }
    }

    /// Something was committed: it has reached the operating system. Answers with what to wait for.
    pub(crate) fn committed(&self) -> u64 {
        self.committed.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Waits until everything is on disk that was committed so far.
    pub(crate) async fn wait(&self) -> Result<(), Fault> {
        let ticket = self.committed();
        self.signal.send();
        let mut synced = self.synced.subscribe();
        match synced.wait_for(|synced| synced.failed || synced.up_to >= ticket).await {
            Ok(synced) if synced.up_to >= ticket => Ok(()),
            _ => Err(Fault::Unknown("the journal could not be synced: the write may be lost with the power".into())),
        }
    }
}

impl Shared {
    /// Works until the store is closed.
    pub(crate) fn sync_forever(&self) {
        let syncs = &self.syncs;
        let awaited = self.options.durability == Durability::PowerLoss;
        let mut journal = Newest::new(self.folder.engine());
        while !syncs.signal.wait((!awaited).then_some(NOW_AND_THEN)) {
            let up_to = syncs.committed.load(Ordering::Acquire);
            if up_to == syncs.synced.borrow().up_to {
                continue;
            }
            if journal.sync().is_err() && awaited {
                // What a failed sync has dropped can't be synced again: the next one would say all is well.
                self.stopped.store(true, Ordering::Release);
                syncs.synced.send_modify(|synced| synced.failed = true);
                return;
            }
            syncs.synced.send_modify(|synced| synced.up_to = up_to);
        }
    }
}

/// The journal that is being filled, through a handle of our own: writers go on while it is synced.
struct Newest {
    engine: PathBuf,
    open: Option<(u64, File)>,
}

impl Newest {
    fn new(engine: PathBuf) -> Self {
        Self { engine, open: None }
    }

    /// Syncs all that was committed before the call: the engine syncs a journal whole before it begins the next.
    fn sync(&mut self) -> io::Result<()> {
        let (number, file) = match self.open.take() {
            Some((number, file)) if !path(&self.engine, number + 1).exists() => (number, file),
            _ => {
                let newest = journal::files(&self.engine)?.pop().ok_or(io::ErrorKind::NotFound)?;
                (newest.0, File::open(newest.1)?)
            }
        };
        file.sync_data()?;
        self.open = Some((number, file));
        Ok(())
    }
}

fn path(engine: &Path, number: u64) -> PathBuf {
    engine.join(format!("{number}.jnl"))
}
