use std::{thread, time::Duration};

use fjall::{AbstractTree, Database, PersistMode};

use crate::tables::Tables;

/// Puts everything into the trees that so far is in memory and in the journal, and waits until it is there.
pub(crate) fn flush_all(engine: &Database, tables: &Tables) -> Result<(), fjall::Error> {
    for table in tables.all() {
        table.keyspace.rotate_memtable()?;
    }
    while tables.all().any(|table| table.keyspace.tree.sealed_memtable_count() > 0) {
        // A worker of the engine that failed never comes back; this is how it shows.
        engine.persist(PersistMode::Buffer)?;
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
