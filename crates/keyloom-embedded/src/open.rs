//! How a store is opened: what the engine would not notice is looked through first.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use fjall::{AbstractTree, Database};
use keyloom_store::{Millis, Shape};

use crate::{
    background::Signal,
    disk::Disk,
    environment::Environment,
    folder::{Folder, OpenError},
    journal, marker,
    memory::Memory,
    options::Options,
    schema::{NUDGE, Schema, keyspace_name, keyspace_options},
    shared::{Shared, abilities},
    stripes::Stripes,
    sync::Syncs,
    tables::Tables,
    trees,
};

/// What opening a store found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// There was none, it is new.
    pub created: bool,
    /// The last stop was none.
    pub crashed: Option<Crashed>,
}

/// What a crash left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crashed {
    /// Bytes of the journal that were replayed.
    pub journal_bytes: u64,
    /// Bytes of writes that were cut off. Unless the machine itself stopped, none of them was acknowledged.
    pub dropped_bytes: u64,
    /// Whether the machine was started since, so that what was acknowledged without a sync may be lost.
    pub machine_restarted: bool,
}

pub(crate) fn open(
    folder: &Path,
    options: Options,
    environment: Arc<dyn Environment>,
) -> Result<(Shared, Opened), OpenError> {
    let folder = Folder::claim(folder)?;
    let (path, engine) = (folder.path(), folder.engine());
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    let (mut schema, mut crashed) = (Schema::default(), None);
    if folder.created {
        // Somebody began to make a store here and was cut off before there was anything in it. If there is, it is the
        // format that was lost.
        if trees::any(&engine).map_err(failed)? {
            return Err(OpenError::NotAStore { folder: path.to_owned() });
        }
        if engine.exists() {
            fs::remove_dir_all(&engine).map_err(failed)?;
        }
    } else {
        schema = Schema::read(path)?;
        let clean = marker::check(path, &engine)?;
        trees::look_through(&engine, &schema)?;
        if !clean {
            let journals = journal::look_through(&engine, folder.machine_restarted)?;
            crashed = Some(Crashed {
                journal_bytes: journals.bytes,
                dropped_bytes: journals.dropped,
                machine_restarted: folder.machine_restarted,
            });
        }
        marker::take_away(path).map_err(failed)?;
        if !clean {
            settle(&folder, &schema, &options)?;
        }
    }
    // One worker: with more, the engine lets one of them spin as long as another has something to merge.
    let (engine, tables) = start(&folder, &schema, &options, 1)?;
    let nudge = contained(&folder, || engine.keyspace(NUDGE, keyspace_options))?;
    if folder.created {
        schema.write(path).map_err(failed)?;
        folder.establish().map_err(failed)?;
    }
    let opened = Opened { created: folder.created, crashed };
    let disk = Disk::new(environment.clone(), path.to_owned(), options.low_disk_bytes);
    let shared = Shared {
        abilities: abilities(),
        tables,
        stripes: Stripes::new(),
        engine,
        nudge,
        schema: Mutex::new(schema),
        environment,
        options,
        disk,
        syncs: Syncs::new(),
        memory: Memory::default(),
        keeper: Signal::new(),
        cleaner: Signal::new(),
        stopped: AtomicBool::new(false),
        folder,
    };
    Ok((shared, opened))
}

/// After a crash: puts the journal into the trees and begins a new one, so that no journal is ever written by two
/// processes and the numbers in it only rise.
fn settle(folder: &Folder, schema: &Schema, options: &Options) -> Result<(), OpenError> {
    // No worker: it would begin to merge, and could not be stopped before it is done.
    let (engine, tables) = start(folder, schema, options, 0)?;
    contained(folder, || {
        // A table that was dropped just before the crash may have left its tree.
        for name in engine.list_keyspace_names() {
            if *name != *NUDGE && !schema.tables.iter().any(|stored| keyspace_name(stored.number) == *name) {
                let keyspace = engine.keyspace(&name, keyspace_options)?;
                engine.delete_keyspace(keyspace)?;
            }
        }
        tables.all().try_for_each(|table| table.keyspace.tree.flush_active_memtable(0))?;
        Ok(())
    })?;
    drop(tables);
    drop(engine);
    marker::empty_journal(&folder.engine()).map_err(|error| OpenError::Io { path: folder.engine(), error })
}

/// Opens the engine with a tree for each table.
fn start(folder: &Folder, schema: &Schema, options: &Options, workers: usize) -> Result<(Database, Tables), OpenError> {
    let engine = contained(folder, || {
        let builder = Database::builder(folder.engine()).cache_size(options.cache_bytes);
        builder.worker_threads_unchecked(workers).open()
    })?;
    let tables = Tables::new();
    for stored in &schema.tables {
        let damaged = |what: String| OpenError::Damaged { path: folder.engine(), what };
        let name = keyspace_name(stored.number);
        if !engine.keyspace_exists(&name) {
            return Err(damaged(format!("the tree of table `{}` is missing", stored.table.name)));
        }
        let keyspace = contained(folder, || engine.keyspace(&name, keyspace_options))?;
        let shape = Shape::of(stored.table.clone()).map_err(|fault| damaged(fault.to_string()))?;
        let added = tables.add(stored.number, keyspace, Arc::new(shape), Millis(i64::MIN));
        added.map_err(|fault| damaged(fault.to_string()))?;
    }
    Ok((engine, tables))
}

/// Runs what may meet damage: the engine answers with an error, or panics.
fn contained<T>(folder: &Folder, work: impl FnOnce() -> Result<T, fjall::Error>) -> Result<T, OpenError> {
    let path = folder.engine();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(fjall::Error::Io(error))) => Err(OpenError::Io { path, error }),
        Ok(Err(error)) => Err(OpenError::Damaged { path, what: error.to_string() }),
        Err(_) => Err(OpenError::Damaged { path, what: "the engine gave up on it".into() }),
    }
}
