use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

const STRIPES: u16 = 16_384;

/// Locks over the keys of rows. Whoever changes rows holds the stripes of all of them, taken in ascending order, so that
/// nobody waits for somebody who waits for him.
pub(crate) struct Stripes(Box<[Mutex<()>]>);

/// Which lock a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stripe(u16);

impl Stripes {
    pub(crate) fn new() -> Self {
        Self((0..STRIPES).map(|_| Mutex::default()).collect())
    }

    pub(crate) fn of(table: u32, key: &[u8]) -> Stripe {
        let hash = xxh3_64_with_seed(key, table.into());
        Stripe((hash % u64::from(STRIPES)) as u16)
    }

    pub(crate) fn lock(&self, stripe: Stripe) -> MutexGuard<'_, ()> {
        // There is nothing behind the lock that a panic could have left half-done: a batch is committed or not.
        self.0[usize::from(stripe.0)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for everybody who holds a stripe now.
    pub(crate) fn wait_for_all(&self) {
        (0..STRIPES).for_each(|stripe| drop(self.lock(Stripe(stripe))));
    }

    /// Locks ascending stripes, each once.
    pub(crate) fn lock_all(&self, ascending: impl Iterator<Item = Stripe>) -> Vec<MutexGuard<'_, ()>> {
        let mut last = None;
        ascending.filter(|stripe| last.replace(*stripe) != Some(*stripe)).map(|stripe| self.lock(stripe)).collect()
    }
}
