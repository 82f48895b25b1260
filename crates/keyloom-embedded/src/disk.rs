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

/// The watermark: with less free space than this, writes are refused before the engine meets the end of the disk. What is
/// in memory must fit besides, and what remains is for the engine's merging.
pub(crate) struct Disk {
    environment: Arc<dyn Environment>,
    folder: PathBuf,
    low_bytes: u64,
    is_low: AtomicBool,
    /// Bytes that were written since the last look.
    unseen: AtomicU64,
}

impl Disk {
    pub(crate) fn new(environment: Arc<dyn Environment>, folder: PathBuf, low_bytes: u64) -> Self {
        let disk = Self { environment, folder, low_bytes, is_low: AtomicBool::new(false), unseen: AtomicU64::new(0) };
        disk.look(0);
        disk
    }

    /// Looks how much is free, with so many bytes in memory that must go to disk. A system that can't say is no reason
    /// to refuse.
    pub(crate) fn look(&self, in_memory: u64) {
        self.unseen.store(0, Ordering::Relaxed);
        let needed = self.low_bytes.saturating_add(in_memory);
        let low = self.environment.free_disk_bytes(&self.folder).is_ok_and(|free| free < needed);
        self.is_low.store(low, Ordering::Relaxed);
    }

    pub(crate) fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Whether so many bytes may be written.
    pub(crate) fn admit(&self, bytes: u64, in_memory: &AtomicU64) -> Result<(), Fault> {
        // A stream of writes can't outrun the look that is taken now and then.
        if self.unseen.fetch_add(bytes, Ordering::Relaxed) > self.low_bytes / 16 {
            self.look(in_memory.load(Ordering::Relaxed));
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
