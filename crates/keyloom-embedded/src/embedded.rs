use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use keyloom_store::{
    Abilities, Atomic, Decision, Define, Fault, Get, Got, Limits, Millis, Placement, Rows, Shape, Slice, Step, Store,
    TableId, Verdict,
};

use crate::{
    environment::Environment,
    folder::{Folder, OpenError},
    options::Options,
    schema::{Schema, keyspace_name},
    stripes::Stripes,
    tables::{OpenTable, Tables},
};

/// A store in a folder.
pub struct Embedded {
    shared: Arc<Shared>,
}

/// What opening a store found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// There was none, it is new.
    pub created: bool,
}

/// What calls and background work share.
pub(crate) struct Shared {
    pub(crate) abilities: Abilities,
    pub(crate) tables: Tables,
    pub(crate) stripes: Stripes,
    pub(crate) engine: Database,
    pub(crate) schema: Mutex<Schema>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) options: Options,
    /// A write failed in a way after which no other may follow.
    pub(crate) stopped: AtomicBool,
    /// Last, so that the folder stays ours until the engine is down.
    pub(crate) folder: Folder,
}

impl Embedded {
    /// Opens the store in a folder, or makes one in a new or empty folder.
    ///
    /// # Errors
    /// When the folder is in use, of another format, damaged, or can't be read.
    pub fn open(
        folder: &Path,
        options: Options,
        environment: Arc<dyn Environment>,
    ) -> Result<(Self, Opened), OpenError> {
        let folder = Folder::claim(folder)?;
        let schema = if folder.created { Schema::default() } else { Schema::read(folder.path())? };
        let damaged = |what: String| OpenError::Damaged { path: folder.engine(), what };
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let engine = Database::builder(folder.engine()).cache_size(options.cache_bytes).open()?;
            let tables = Tables::new();
            for stored in &schema.tables {
                let name = keyspace_name(stored.number);
                if !engine.keyspace_exists(&name) {
                    return Ok(Err(damaged(format!("the tree of table `{}` is missing", stored.table.name))));
                }
                let keyspace = engine.keyspace(&name, KeyspaceCreateOptions::default)?;
                let shape = match Shape::of(stored.table.clone()) {
                    Ok(shape) => shape,
                    Err(fault) => return Ok(Err(damaged(fault.to_string()))),
                };
                if let Err(fault) = tables.add(stored.number, keyspace, Arc::new(shape), Millis(i64::MIN)) {
                    return Ok(Err(damaged(fault.to_string())));
                }
            }
            Ok(Ok((engine, tables)))
        }));
        let (engine, tables) = match opened {
            Ok(Ok(opened)) => opened?,
            Ok(Err(fjall::Error::Io(error))) => return Err(OpenError::Io { path: folder.engine(), error }),
            Ok(Err(error)) => return Err(damaged(error.to_string())),
            Err(_) => return Err(damaged("the engine gave up on it".into())),
        };
        if folder.created {
            let failed = |error| OpenError::Io { path: folder.path().to_owned(), error };
            schema.write(folder.path()).map_err(failed)?;
            folder.establish().map_err(failed)?;
        }
        let opened = Opened { created: folder.created };
        let shared = Arc::new(Shared {
            abilities: abilities(),
            tables,
            stripes: Stripes::new(),
            engine,
            schema: Mutex::new(schema),
            environment,
            options,
            stopped: AtomicBool::new(false),
            folder,
        });
        Ok((Self { shared }, opened))
    }

    /// Stops it cleanly.
    ///
    /// # Errors
    /// When not all could be written; what was acknowledged is still safe.
    pub fn close(self) -> Result<(), Fault> {
        let synced = self.shared.engine.persist(PersistMode::SyncAll);
        synced.map_err(|error| Fault::Unknown(format!("the journal could not be synced: {error}").into()))
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("folder", &self.shared.folder.path()).finish_non_exhaustive()
    }
}

impl Shared {
    /// Whether writes to these tables are taken now.
    pub(crate) fn admit<'a>(&self, _tables: impl Iterator<Item = &'a OpenTable>) -> Result<(), Fault> {
        match self.stopped.load(Ordering::Acquire) {
            true => Err(Fault::NotDone(crate::faults::STOPPED.into())),
            false => Ok(()),
        }
    }
}

fn abilities() -> Abilities {
    Abilities {
        engine: "the embedded store",
        atomic: Atomic::Rows { rows_max: 10_000, bytes_max: 64 << 20 },
        column_groups_max: 16,
        indexes: None,
        limits: Limits {
            partition_key_bytes_max: 30_000,
            sort_key_bytes_max: 30_000,
            row_bytes_max: 16 << 20,
            together_rows_max: 10_000,
            together_bytes_max: 64 << 20,
        },
    }
}

impl Store for Embedded {
    fn abilities(&self) -> &Abilities {
        &self.shared.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.shared.read_row(&at)
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.shared.read_rows(at)
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.shared.read_slice(&of)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.shared.decide_now(&what)
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.shared.place_now(rows, together, now)
    }
}

impl Define for Embedded {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        Ok(self.shared.described())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.shared.take(step)
    }
}
