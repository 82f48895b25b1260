use std::{
    io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use keyloom_store::Millis;

/// What a store asks of the machine besides its folder.
pub trait Environment: Send + Sync {
    /// The moment, for cleaning what has expired. Requests bring their own.
    fn now(&self) -> Millis;

    /// How many bytes can still be written where the folder is.
    ///
    /// # Errors
    /// When the system can't say.
    fn free_disk_bytes(&self, folder: &Path) -> io::Result<u64>;
}

/// The machine itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Environment for System {
    fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn free_disk_bytes(&self, folder: &Path) -> io::Result<u64> {
        let disk = rustix::fs::statvfs(folder)?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
}
