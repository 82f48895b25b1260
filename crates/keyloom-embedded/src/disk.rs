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
/// has in memory by then must still fit, and so must its merging.
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
        disk.look();
        disk
    }

    /// Looks how much is free. A system that can't say is no reason to refuse.
    pub(crate) fn look(&self) {
        self.unseen.store(0, Ordering::Relaxed);
        let low = self.environment.free_disk_bytes(&self.folder).is_ok_and(|free| free < self.low_bytes);
        self.is_low.store(low, Ordering::Relaxed);
    }

    /// Whether so many bytes may be written.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), Fault> {
        // A stream of writes can't outrun the look that is taken now and then.
        if self.unseen.fetch_add(bytes, Ordering::Relaxed) > self.low_bytes / 16 {
            self.look();
        }
        if !self.is_low.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Fault::Busy {
            scope: Scope::Store,
            after: Duration::from_secs(1),
            cause: format!("less than {} MB of the disk are free", self.low_bytes >> 20).into(),
        })
    }
}
