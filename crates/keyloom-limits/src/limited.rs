//! The decorator: its parts, its tables, and the verbs handed on.

use std::{fmt, sync::Arc};

use futures_util::lock::Mutex;
use keyloom_store::{
    Abilities, Column, Decision, Define, Dialect, Discipline, Fault, Get, Got, Group, Inspect, Inspection, Limits,
    Millis, Placement, Resume, Rows, Segment, Shape, Slice, Step, Store, Sweep, Swept, Table, TableId, Taking, Verdict,
    refuse, taking,
};
use keyloom_value::Kind;

use crate::{
    lag::Lag,
    meter::Meter,
    names,
    notice::Notice,
    regime::Regime,
    tables::{Held, Tables},
    watch::Watch,
};

/// The moment.
pub trait Clock: Send + Sync {
    /// Microseconds since any moment; it never goes back.
    fn now_us(&self) -> u64;
}

/// Takes what a node of the engine would have written into its log.
pub type Hear = Arc<dyn Fn(&Notice) + Send + Sync>;

/// The engine whose limits a store is given.
pub struct Engine {
    /// Its name, as the store remembers it.
    pub name: &'static str,
    /// What it stores and charges.
    pub dialect: Box<dyn Dialect>,
    /// What it limits.
    pub regime: Regime,
}

/// What a store can do that may be given the limits of another.
pub trait Under: Store + Define + Sweep + Inspect {}

impl<S: Store + Define + Sweep + Inspect> Under for S {}

/// A store with the limits of an engine that is not there.
pub struct Limited<S> {
    pub(crate) inner: Arc<S>,
    pub(crate) abilities: Abilities,
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) regime: Regime,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tables: Tables,
    pub(crate) meter: Arc<Meter>,
    pub(crate) lag: Lag,
    pub(crate) watch: Watch,
    pub(crate) hear: Hear,
    /// The table by which the store below remembers its limits. A row of it is decided where rows of an index must change
    /// and no other row is.
    pub(crate) marker: TableId,
    /// Whoever writes rows of a table with indexes has their stripes; each with the version of its row in the marker.
    pub(crate) stripes: Vec<Mutex<Option<u64>>>,
}

const STRIPES: usize = 64;

/// Whose limits a store was given when it was made.
///
/// # Errors
/// When the store can't say which tables it has.
pub async fn remembered(store: &impl Define) -> Result<Option<String>, Fault> {
    let tables = store.describe().await?;
    Ok(tables.iter().find_map(|(_, shape)| names::marked(&shape.table().name)).map(str::to_owned))
}

impl<S: Under> Limited<S> {
    /// Gives a store these limits. It remembers them: it must be new, or have been given the same ones before.
    ///
    /// # Errors
    /// When it is neither, or fails.
    pub async fn over(inner: Arc<S>, engine: Engine, clock: Arc<dyn Clock>, hear: Hear) -> Result<Self, Fault> {
        let Engine { name, dialect, regime } = engine;
        match remembered(&*inner).await? {
            Some(known) if known == name => {}
            Some(known) => {
                return Err(Fault::refused(format!("it was made with the limits of {known}, not of {name}")));
            }
            None if !inner.describe().await?.is_empty() => {
                return Err(Fault::refused(format!("it was made without the limits of {name}")));
            }
            None => inner.apply(&Step::Create(marker(name))).await?,
        }
        let tables = inner.describe().await?;
        let own = tables.iter().find(|(_, shape)| names::marked(&shape.table().name).is_some());
        let marker = own.map(|(id, _)| *id).ok_or(Fault::Broken("the table of its limits is not there".into()))?;
        let abilities = within(dialect.abilities(), inner.abilities());
        let limited = Self {
            inner,
            abilities,
            dialect,
            clock,
            tables: Tables::default(),
            meter: Arc::new(Meter::new(regime.units)),
            lag: Lag::new(regime.index_lag_us),
            watch: Watch::default(),
            hear,
            marker,
            stripes: (0..STRIPES).map(|_| Mutex::default()).collect(),
            regime,
        };
        limited.reread().await?;
        Ok(limited)
    }

    /// What it counts.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    async fn reread(&self) -> Result<(), Fault> {
        self.tables.set(self.inner.describe().await?)?;
        self.tables.all().iter().for_each(|held| self.meter.name(held.id, &held.table().name));
        Ok(())
    }

    pub(crate) fn held(&self, table: TableId) -> Result<Arc<Held>, Fault> {
        self.tables.get(table)
    }

    pub(crate) fn notice(&self, table: TableId, notice: &Notice) {
        self.meter.warned(table, notice);
        (self.hear)(notice);
    }
}

/// What an engine can do, as far as the store below can hold it.
fn within(engine: Abilities, below: &Abilities) -> Abilities {
    let (own, most) = (engine.limits, below.limits);
    let limits = Limits {
        partition_key_bytes_max: own.partition_key_bytes_max.min(most.partition_key_bytes_max),
        sort_key_bytes_max: own.sort_key_bytes_max.min(most.sort_key_bytes_max),
        row_bytes_max: own.row_bytes_max.min(most.row_bytes_max),
        ..own
    };
    Abilities { limits, ..engine }
}

fn marker(engine: &str) -> Table {
    Table {
        name: names::marker(engine),
        discipline: Discipline::Decided,
        partition: vec![Column { name: "stripe".to_owned(), kind: Kind::Int }],
        sort: Vec::new(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    }
}

impl<S> fmt::Debug for Limited<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limited").field("engine", &self.abilities.engine).finish_non_exhaustive()
    }
}

impl<S: Under> Store for Limited<S> {
    fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.got_many(&[at]).await.pop().unwrap_or_else(|| Err(Fault::NotDone("it was not answered".into())))
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.got_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.sliced(&of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.decided(&what).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.placed(rows, together, now).await
    }
}

impl<S: Under> Define for Limited<S> {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.reread().await?;
        Ok(self.tables.all().iter().map(|held| (held.id, Arc::clone(&held.shape))).collect())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        let there: Vec<Arc<Shape>> = self.tables.all().iter().map(|held| Arc::clone(&held.shape)).collect();
        if taking(&there, step, &self.abilities)? == Taking::Nothing {
            return Ok(());
        }
        let known = there.iter().find(|shape| shape.table().name == step.table());
        let below = known.map_or_else(|| step.table().to_owned(), |shape| names::below(shape.table()).name);
        let step_below = match step.clone() {
            Step::Create(table) => Step::Create(names::below(&table)),
            Step::AddColumn { group, column, .. } => Step::AddColumn { table: below, group, column },
            Step::Extend { column, kind, .. } => Step::Extend { table: below, column, kind },
            Step::Drop { .. } => Step::Drop { table: below },
        };
        self.inner.apply(&step_below).await?;
        self.reread().await?;
        // An index has the rows of its table from the first moment on.
        let changed = self.tables.all().into_iter().find(|held| held.table().name == step.table());
        match changed.filter(|held| held.of.is_some()) {
            Some(index) => self.fill(&index).await,
            None => Ok(()),
        }
    }
}

impl<S: Under> Sweep for Limited<S> {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(&self.held(table)?.shape)?;
        self.inner.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        refuse::sweep(&self.held(table)?.shape)?;
        self.inner.sweep(table, segment, from, rows_max, now).await
    }
}

impl<S: Under> Inspect for Limited<S> {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        let throttled = Some(self.meter.throttled(self.held(table)?.id));
        Ok(Inspection { throttled, ..self.inner.inspect(table).await? })
    }
}
