use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use fjall::{Database, Keyspace};
use keyloom_store::{Abilities, Atomic, Inspection, Limits, no_objection};

use crate::{
    background::Signal,
    disk::Disk,
    environment::Environment,
    folder::Folder,
    memory::Memory,
    options::Options,
    schema::Schema,
    stripes::Stripes,
    sync::Syncs,
    tables::{OpenTable, Tables},
};

/// An open store, as calls and background work share it.
pub(crate) struct Shared {
    pub(crate) abilities: Abilities,
    pub(crate) tables: Tables,
    pub(crate) stripes: Stripes,
    pub(crate) engine: Database,
    /// A tree without rows: see `keep`.
    pub(crate) nudge: Keyspace,
    pub(crate) schema: Mutex<Schema>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) options: Options,
    pub(crate) disk: Disk,
    pub(crate) syncs: Syncs,
    pub(crate) memory: Memory,
    pub(crate) keeper: Signal,
    pub(crate) cleaner: Signal,
    /// A sync failed: no other write may follow.
    pub(crate) stopped: AtomicBool,
    /// Last, so that the folder stays ours until the engine is down.
    pub(crate) folder: Folder,
}

/// What the embedded store can do.
pub fn abilities() -> Abilities {
    Abilities {
        engine: "the embedded store",
        atomic: Atomic::Rows { rows_max: 10_000, bytes_max: 64 << 20 },
        column_groups_max: 16,
        indexes: None,
        limits: Limits {
            partition_key_bytes_max: 30_000,
            sort_key_bytes_max: 30_000,
            row_bytes_max: 16 << 20,
            partition_cells_max: None,
            together_rows_max: 10_000,
            together_bytes_max: 64 << 20,
        },
        objection: no_objection,
    }
}

impl OpenTable {
    /// What can be said about a table at once.
    pub(crate) fn inspected(&self) -> Inspection {
        Inspection {
            rows: Some(self.keyspace.approximate_len() as u64),
            disk_bytes: Some(self.keyspace.disk_space()),
            throttled: Some(self.throttled.load(Ordering::Relaxed)),
            ..Inspection::default()
        }
    }
}
