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
    begun: AtomicU64,
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
        Self {
            begun: AtomicU64::new(0),
            committed: AtomicU64::new(0),
            synced: watch::Sender::new(synced),
            signal: Signal::new(),
        }
    }

    /// Something may be about to be committed; [`Self::committed`] follows, whatever comes of it.
    pub(crate) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::AcqRel);
    }

    /// What was begun has ended: if it was committed, it has reached the operating system. Answers with what to wait for.
    pub(crate) fn committed(&self) -> u64 {
        self.committed.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Waits until everything is on disk that a reader can have seen so far; mostly it is.
    pub(crate) async fn wait_for_seen(&self) -> Result<(), Fault> {
        // Every commit that has begun has ended, and was synced since.
        if self.begun.load(Ordering::Acquire) == self.synced.borrow().up_to {
            return Ok(());
        }
        self.begin();
        self.wait().await
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

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    /// What the thread does that syncs.
    fn sync(syncs: &Syncs) {
        let up_to = syncs.committed.load(Ordering::Acquire);
        syncs.synced.send_modify(|synced| synced.up_to = up_to);
    }

    #[test]
    fn what_was_seen_waits_for_a_sync_that_began_later() {
        let syncs = Syncs::new();
        assert_eq!(poll(pin!(syncs.wait_for_seen())), Poll::Ready(Ok(())), "there is nothing to wait for");
        syncs.begin();
        let mut seen = pin!(syncs.wait_for_seen());
        assert_eq!(poll(seen.as_mut()), Poll::Pending, "a commit is under way and may have been seen");
        syncs.committed();
        assert_eq!(poll(seen.as_mut()), Poll::Pending, "it has ended, but is not on disk");
        sync(&syncs);
        assert_eq!(poll(seen), Poll::Ready(Ok(())));
        assert_eq!(poll(pin!(syncs.wait_for_seen())), Poll::Ready(Ok(())), "and so is everything");
    }

    #[test]
    fn a_failed_sync_fails_all_that_wait() {
        let syncs = Syncs::new();
        syncs.begin();
        let (mut writer, mut reader) = (pin!(syncs.wait()), pin!(syncs.wait_for_seen()));
        assert_eq!(poll(writer.as_mut()), Poll::Pending);
        assert_eq!(poll(reader.as_mut()), Poll::Pending);
        syncs.synced.send_modify(|synced| synced.failed = true);
        assert!(matches!(poll(writer), Poll::Ready(Err(Fault::Unknown(_)))));
        assert!(matches!(poll(reader), Poll::Ready(Err(Fault::Unknown(_)))));
    }
}
