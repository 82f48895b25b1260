use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use keyloom_store::{Fault, Scope};

use crate::environment::Environment;

/// The watermark: with less free space than this, writes are refused before the engine meets the end of the disk. What it
/// owes the disk already must fit besides.
pub(crate) struct Disk {
    environment: Arc<dyn Environment>,
    folder: PathBuf,
    low_bytes: u64,
    is_low: AtomicBool,
    /// Bytes that are not on disk yet, or will be there twice while they are merged.
    owed: AtomicU64,
    /// Bytes that were written since the last look.
    unseen: AtomicU64,
}

impl Disk {
    pub(crate) fn new(environment: Arc<dyn Environment>, folder: PathBuf, low_bytes: u64) -> Self {
        let disk = Self {
            environment,
            folder,
            low_bytes,
            is_low: AtomicBool::new(false),
            owed: AtomicU64::new(0),
            unseen: AtomicU64::new(0),
        };
        disk.look(0);
        disk
    }

    /// Looks how much is free, with so many bytes that must still go to disk. A system that can't say is no reason to
    /// refuse.
    pub(crate) fn look(&self, owed: u64) {
        self.owed.store(owed, Ordering::Relaxed);
        self.look_again();
    }

    fn look_again(&self) {
        let unseen = self.unseen.swap(0, Ordering::Relaxed);
        let owed = self.owed.fetch_add(unseen, Ordering::Relaxed) + unseen;
        let needed = self.low_bytes.saturating_add(owed);
        let low = self.environment.free_disk_bytes(&self.folder).is_ok_and(|free| free < needed);
        self.is_low.store(low, Ordering::Relaxed);
    }

    pub(crate) fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Whether so many bytes may be written.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), Fault> {
        // A stream of writes can't outrun the look that is taken now and then.
        if self.unseen.fetch_add(bytes, Ordering::Relaxed) > self.low_bytes / 16 {
            self.look_again();
        }
        if !self.is_low() {
            return Ok(());
        }
        Err(Fault::Busy {
            scope: Scope::Store,
            after: Duration::from_secs(1),
            cause: format!("the disk is nearly full: {} MB are kept free", self.low_bytes >> 20).into(),
        })
    }
}
