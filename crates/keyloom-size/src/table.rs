//! One table: its rows, its bytes, its partitions, what is asked of it.

use keyloom_model::Pattern;
use keyloom_model::layout::{Counted, Holds, Table};
use keyloom_plan::Companions;

use crate::effort::Cost;
use crate::ground::{Ground, RowBytes};
use crate::load::{self, TableLoad};
use crate::partition::{self, PartitionRows};
use crate::quantity::{Quantity, Three};
use crate::rows::{self, Rows};
use crate::time::{Calls, YEAR_MS};

/// What a table comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// What its rows are, as the layout says it: `source: Order`.
    pub holds: String,
    /// How many there are.
    pub rows: Rows,
    /// What one takes.
    pub bytes: RowBytes,
    /// How many columns a row has beside its key, Keyloom's own included.
    pub columns: u64,
    /// Its partitions; `None` where each is one row.
    pub partition: Option<PartitionRows>,
    /// What is asked of it at peak.
    pub load: TableLoad,
    /// Rows that are removed but not forgotten, where the engine keeps them among the others.
    pub removed: Option<Removed>,
}

/// Rows that are removed but not forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// In the busiest partition.
    pub busiest: Quantity,
    /// In all.
    pub all: Quantity,
    /// How long they are remembered, in milliseconds.
    pub grace_ms: u64,
}

impl TableSize {
    pub(crate) fn of(ground: &Ground<'_>, table: &Table, patterns: &[(&Pattern, Calls, Cost)]) -> Self {
        let rows = rows::of_table(ground.program, table);
        let partition = partition::of_table(ground.program, table, &rows);
        let stored = ground.program.tables.iter().find(|stored| stored.name == table.name);
        let columns = stored.map_or(0, |stored| stored.groups.iter().map(|group| group.columns.len() as u64).sum());
        let grace_ms = stored.map_or(0, |stored| u64::try_from(stored.grace_ms).unwrap_or(0));
        let follows = ground.program.companions == Companions::Follow;
        let removed = partition.as_ref().filter(|_| follows).map(|_| {
            let (busiest, all) = load::removed(ground.catalog(), table, patterns, grace_ms);
            Removed { busiest, all, grace_ms }
        });
        Self {
            name: table.name.clone(),
            holds: holds(table),
            bytes: ground.bytes(&table.name),
            columns,
            load: TableLoad::of(ground.catalog(), table, patterns),
            rows,
            partition,
            removed,
        }
    }

    /// What a typical row takes where it is stored.
    pub fn row_stored(&self) -> u128 {
        u128::from(self.bytes.typical).saturating_add(self.bytes.beside.into())
    }

    /// What is stored so much later, by typical rows, before compression and replicas.
    pub fn stored_after(&self, span_ms: u64) -> Quantity {
        let rows = self.rows.after(span_ms);
        let stored = rows.times(&Quantity::known(self.row_stored()));
        if self.bytes.partition == 0 {
            return stored;
        }
        let partitions = match &self.partition {
            None => rows,
            Some(partition) => {
                let typical = partition.after(partition.kept_ms.unwrap_or(YEAR_MS)).typical;
                match typical.value() {
                    Some(each) => rows.part(1, each.max(1)),
                    None => rows.times(&typical),
                }
            }
        };
        stored.plus(&partitions.times(&Quantity::known(self.bytes.partition)))
    }

    /// The bytes of a partition so long after its first row, by typical rows.
    pub fn partition_bytes_after(&self, span_ms: u64) -> Option<Three> {
        let rows = self.partition.as_ref()?.after(span_ms);
        let head = Quantity::known(self.bytes.partition);
        Some(rows.map(|rows| {
            let bytes = rows.times(&Quantity::known(self.row_stored()));
            // Without rows a head is no size.
            if bytes.value().is_none() { bytes } else { bytes.plus(&head) }
        }))
    }
}

fn holds(table: &Table) -> String {
    match &table.holds {
        Holds::Source { entity, .. } => format!("source: {entity}"),
        Holds::Projection { entity, keeper } => format!("of: {entity}, {}", keeper.name()),
        Holds::Reservations { entity, unique } => format!("reserves: {entity}.{unique}"),
        Holds::Kept { entity, field, .. } => format!("keeps: {entity}.{field}"),
        Holds::Contributions(Counted::Field { entity, field }) => format!("counts: {entity}.{field}"),
        Holds::Contributions(Counted::Rollup(rollup)) => format!("counts: {rollup}"),
        Holds::Newest { entity } => format!("newest: {entity}"),
        Holds::Numbers { entity, field } => format!("numbers: {entity}.{field}"),
    }
}
