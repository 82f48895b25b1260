use std::{fmt, path::Path, sync::Arc};

use keyloom_store::{
    Abilities, Decision, Define, Fault, Freshness, Get, Got, Inspect, Inspection, Millis, Placement, Resume, Rows,
    Segment, Shape, Slice, Step, Store, Sweep, Swept, TableId, Verdict,
};

use crate::{
    background::Background,
    environment::Environment,
    flush::flush_all,
    folder::OpenError,
    marker,
    open::{self, Opened},
    options::{Durability, Options},
    shared::Shared,
};

/// A store in a folder.
///
/// Dropped without [`Embedded::close`] it keeps everything that was acknowledged, as after a crash.
pub struct Embedded {
    // First, so that the threads end before the engine does.
    background: Background,
    shared: Arc<Shared>,
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
        let (shared, opened) = open::open(folder, options, environment)?;
        let shared = Arc::new(shared);
        let background = Background::start(&shared);
        let background = background.map_err(|error| OpenError::Io { path: folder.to_owned(), error })?;
        Ok((Self { background, shared }, opened))
    }

    /// Stops it cleanly: everything is in the trees afterwards, and the next start has nothing to replay.
    ///
    /// # Errors
    /// When not all could be written. What was acknowledged is still safe, and the next start finds it as after a crash.
    pub fn close(self) -> Result<(), Fault> {
        let Self { background, shared } = self;
        drop(background);
        stop(Arc::into_inner(shared).ok_or(Fault::Unknown("not stopped: it is still in use".into()))?)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Forgets now what would be forgotten in the background, and says how many rows that were.
    ///
    /// # Errors
    /// As a read, and as a write.
    pub fn clean_now(&self) -> Result<u64, Fault> {
        self.shared.tables.all().map(|table| self.shared.clean_table(table, || false)).sum()
    }

    /// Waits until what was seen survives what it must: who finds a decision by a fresh read, or loses to it, may
    /// acknowledge it, though whoever made it is still waiting.
    async fn seen(&self, freshness: Freshness) -> Result<(), Fault> {
        if freshness == Freshness::Fresh && self.shared.options.durability == Durability::PowerLoss {
            return self.shared.syncs.wait_for_seen().await;
        }
        Ok(())
    }

    /// Ends a write that was begun; one that was done waits until it survives what it must.
    async fn settled(&self, done: bool) -> Result<(), Fault> {
        if done && self.shared.options.durability == Durability::PowerLoss {
            return self.shared.syncs.wait().await;
        }
        self.shared.syncs.committed();
        Ok(())
    }
}

/// Puts everything into the trees, shuts the engine down and leaves the marker of a clean stop.
pub(crate) fn stop(shared: Shared) -> Result<(), Fault> {
    let failed = |what: String| Fault::Unknown(format!("not stopped cleanly: {what}").into());
    flush_all(&shared.engine, &shared.tables).map_err(|error| failed(error.to_string()))?;
    let Shared { folder, engine, nudge, tables, .. } = shared;
    drop((tables, nudge));
    drop(engine);
    marker::put(folder.path(), &folder.engine()).map_err(|error| failed(error.to_string()))
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("folder", &self.shared.folder.path()).finish_non_exhaustive()
    }
}

impl Store for Embedded {
    fn abilities(&self) -> &Abilities {
        &self.shared.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let got = self.shared.read_row(&at)?;
        self.seen(at.freshness).await?;
        Ok(got)
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let all = self.shared.read_rows(at);
        let freshest = at.iter().map(|at| at.freshness).max().unwrap_or(Freshness::Any);
        match self.seen(freshest).await {
            Ok(()) => all,
            Err(fault) => all.into_iter().map(|_| Err(fault.clone())).collect(),
        }
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.shared.read_slice(&of)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.shared.syncs.begin();
        let verdict = self.shared.decide_now(&what);
        self.settled(verdict == Ok(Verdict::Done)).await?;
        if let Ok(Verdict::Lost { .. }) = verdict {
            self.seen(Freshness::Fresh).await?;
        }
        verdict
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.shared.syncs.begin();
        let placed = self.shared.place_now(rows, together, now);
        self.settled(placed.is_ok()).await?;
        placed
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

impl Sweep for Embedded {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.shared.cut(self.shared.tables.get(table)?, parts)
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.shared.sweep_rows(self.shared.tables.get(table)?, segment, from, rows_max, now)
    }
}

impl Inspect for Embedded {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        Ok(self.shared.tables.get(table)?.inspected())
    }
}
