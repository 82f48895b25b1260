use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use keyloom_store::{Fault, Scope};

/// From here on writers are slowed, so that the trees keep up and memory stays where it is.
const SLOW_BYTES: u64 = 96 << 20;
/// When the store is busy.
const BUSY_BYTES: u64 = 256 << 20;
/// How long a byte is held up just before that: 16 MB a second.
const SLOWEST_NS: u64 = 62;
/// Writers pay for their bytes in pauses of this length, now one and now another: the clock knows no shorter ones.
const PAUSE: Duration = Duration::from_millis(1);

/// What was written and is not in the trees yet.
#[derive(Default)]
pub(crate) struct Memory {
    /// In memories that take writes.
    open: AtomicU64,
    /// In memories that wait for their trees.
    sealed: AtomicU64,
    /// How long writers were to be held up so far.
    debt_ns: AtomicU64,
}

impl Memory {
    /// Bytes that take writes.
    pub(crate) fn open_bytes(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// All bytes that are not in the trees.
    pub(crate) fn bytes(&self) -> u64 {
        self.open_bytes() + self.sealed.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.open.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A table's memory takes no more writes, or is gone.
    pub(crate) fn take(&self, bytes: u64) {
        self.open.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// So much waits for the trees now.
    pub(crate) fn waits(&self, bytes: u64) {
        self.sealed.store(bytes, Ordering::Relaxed);
    }

    /// Whether memory takes so many bytes more. Who writes faster than the trees take it waits for a moment: many short
    /// pauses instead of a long one, taken before any lock is.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), Fault> {
        let over = self.bytes().saturating_sub(SLOW_BYTES);
        if over == 0 {
            return Ok(());
        }
        if over > BUSY_BYTES - SLOW_BYTES {
            return Err(Fault::Busy {
                scope: Scope::Store,
                after: Duration::from_millis(50),
                cause: "more is written than the disk takes".into(),
            });
        }
        let debt = bytes.saturating_mul(over) / ((BUSY_BYTES - SLOW_BYTES) / SLOWEST_NS);
        let before = self.debt_ns.fetch_add(debt, Ordering::Relaxed);
        let pause_ns = PAUSE.as_nanos() as u64;
        let pauses = (before + debt) / pause_ns - before / pause_ns;
        thread::sleep(PAUSE * u32::try_from(pauses).unwrap_or(u32::MAX).min(100));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_little_is_free_more_takes_time_too_much_is_refused() {
        let memory = Memory::default();
        memory.add(SLOW_BYTES);
        memory.admit(1 << 40).unwrap();
        assert_eq!(memory.debt_ns.load(Ordering::Relaxed), 0);
        memory.waits((BUSY_BYTES - SLOW_BYTES) / 2);
        let start = Instant::now();
        memory.admit(1 << 20).unwrap();
        assert!(start.elapsed() >= 30 * PAUSE, "half of the slowest: 32 MB a second");
        memory.waits(BUSY_BYTES - SLOW_BYTES + 1);
        assert!(matches!(memory.admit(1), Err(Fault::Busy { .. })));
        memory.take(SLOW_BYTES);
        memory.admit(1).unwrap();
    }
}
