//! The tables as they stand in the folder, in a file beside the engine: before the engine is opened we must know which
//! trees it has to have, because it quietly deletes what it takes for left-overs.

use std::{io, path::Path, sync::Arc};

use fjall::{KeyspaceCreateOptions, compaction::Leveled};
use keyloom_store::Table;
use serde::{Deserialize, Serialize};

use crate::{folder::OpenError, sealed};

const FILE: &str = "schema";

/// The tables of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Schema {
    /// The number of the next table.
    pub(crate) next: u32,
    pub(crate) tables: Vec<Stored>,
}

/// A table with its place in the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// Never used twice; the engine knows the table by it, so that no name of a user gets there.
    pub(crate) number: u32,
    /// The folder of its tree, as the engine numbers them.
    pub(crate) tree: String,
    pub(crate) table: Table,
}

impl Schema {
    pub(crate) fn read(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(FILE);
        sealed::read(&path)?.ok_or_else(|| OpenError::Damaged { path, what: "it is missing".into() })
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        sealed::write(&folder.join(FILE), self)
    }
}

/// The tree without rows.
pub(crate) const NUDGE: &str = "nudge";

/// How large the files of a tree become: a merge takes several at a time, and for so long the disk must hold them twice
/// and memory has to wait for the engine's one worker.
const FILE_BYTES: u64 = 16 << 20;

/// How a tree is made. Its memory has no limit there: see `keep`.
pub(crate) fn keyspace_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(u64::MAX)
        .compaction_strategy(Arc::new(Leveled::default().with_table_target_size(FILE_BYTES)))
}

/// The name of a table's tree in the engine.
pub(crate) fn keyspace_name(number: u32) -> String {
    format!("table-{number}")
}
