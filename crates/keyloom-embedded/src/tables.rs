use std::{
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::Instant,
};

use fjall::Keyspace;
use keyloom_store::{Fault, Millis, Shape, TableId};

/// How many tables a store can have while it is open, dropped ones included. The engine's queue takes 1,000 messages, and
/// one for each tree may lie there at a start.
const TABLES_MAX: usize = 900;

/// The tables, found without a lock. A handle is a position; positions are never used again.
pub(crate) struct Tables(Box<[OnceLock<OpenTable>]>);

/// A table that is open.
pub(crate) struct OpenTable {
    /// Its position, which is also its handle.
    pub(crate) id: TableId,
    /// Its number in the folder.
    pub(crate) number: u32,
    pub(crate) keyspace: Keyspace,
    shape: Generation,
    dropped: AtomicBool,
    /// When the first of its rows can be forgotten: see `clean`.
    pub(crate) due: AtomicI64,
    /// When it was last cleaned.
    pub(crate) cleaned: Mutex<Option<Instant>>,
    /// Bytes in its memory: see `keep`.
    pub(crate) in_memory: AtomicU64,
    /// Calls that were answered with "busy".
    pub(crate) throttled: AtomicU64,
}

/// A shape, and the one with one column more that took its place.
struct Generation {
    shape: Arc<Shape>,
    next: OnceLock<Box<Generation>>,
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self((0..TABLES_MAX).map(|_| OnceLock::new()).collect())
    }

    /// The table with this handle.
    pub(crate) fn get(&self, id: TableId) -> Result<&OpenTable, Fault> {
        self.0
            .get(id.0 as usize)
            .and_then(OnceLock::get)
            .filter(|table| !table.is_dropped())
            .ok_or(Fault::Refused("there is no such table".into()))
    }

    /// The tables that are there.
    pub(crate) fn all(&self) -> impl Iterator<Item = &OpenTable> {
        let open = self.0.iter().map_while(OnceLock::get);
        open.filter(|table| !table.is_dropped())
    }

    /// Adds a table at the next position. Called by one at a time.
    pub(crate) fn add(&self, number: u32, keyspace: Keyspace, shape: Arc<Shape>, due: Millis) -> Result<(), Fault> {
        let free = self.0.iter().position(|slot| slot.get().is_none()).and_then(|free| u32::try_from(free).ok());
        let id = free.map(TableId).ok_or_else(|| {
            Fault::refused(format!("{TABLES_MAX} tables were opened; the store must be started again to have more"))
        })?;
        self.0[id.0 as usize].get_or_init(|| OpenTable {
            id,
            number,
            keyspace,
            shape: Generation { shape, next: OnceLock::new() },
            dropped: AtomicBool::new(false),
            due: AtomicI64::new(due.0),
            cleaned: Mutex::default(),
            in_memory: AtomicU64::new(0),
            throttled: AtomicU64::new(0),
        });
        Ok(())
    }
}

impl OpenTable {
    /// As it is now.
    pub(crate) fn shape(&self) -> &Arc<Shape> {
        &self.newest().shape
    }

    /// Gives it another shape. Called by one at a time.
    pub(crate) fn reshape(&self, shape: Arc<Shape>) {
        self.newest().next.get_or_init(|| Box::new(Generation { shape, next: OnceLock::new() }));
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    pub(crate) fn drop_table(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    fn newest(&self) -> &Generation {
        let mut newest = &self.shape;
        while let Some(next) = newest.next.get() {
            newest = next;
        }
        newest
    }
}
