//! A program, the engine it is on, and the bytes of its rows: what every other module looks at.

use std::collections::BTreeMap;

use keyloom_model::layout::{Holds, Keeper};
use keyloom_model::{Catalog, Entity, Expiry, Origin};
use keyloom_plan::{Program, rows_of};
use keyloom_store::{Dialect, Discipline, RowSizes, Table};

use crate::effort::Nanos;
use crate::values::{self, Which};

/// What a row takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowBytes {
    /// A typical one, as the engine counts it for calls.
    pub typical: u64,
    /// The largest that the types allow.
    pub worst: u64,
    /// What is stored beside each.
    pub beside: u64,
    /// What a partition takes beside its rows.
    pub partition: u64,
    /// What a removed row leaves behind.
    pub(crate) trace: u64,
}

/// A program on an engine: what all sizes are computed from.
pub struct Ground<'a> {
    pub(crate) program: &'a Program,
    pub(crate) dialect: &'a dyn Dialect,
    pub(crate) nanos: Option<Nanos>,
    bytes: BTreeMap<&'a str, RowBytes>,
}

impl<'a> Ground<'a> {
    /// Measures the rows of a program on an engine.
    pub fn new(program: &'a Program, dialect: &'a dyn Dialect) -> Self {
        let nanos = Nanos::of(program.layout.engine);
        let mut ground = Self { program, dialect, bytes: BTreeMap::new(), nanos };
        ground.bytes = program.all_tables().map(|table| (table.name.as_str(), ground.measure(table))).collect();
        ground
    }

    pub(crate) fn catalog(&self) -> &'a Catalog {
        &self.program.catalog
    }

    /// The bytes of a table's rows.
    pub fn bytes(&self, table: &str) -> RowBytes {
        self.bytes.get(table).copied().unwrap_or_default()
    }

    fn measure(&self, table: &Table) -> RowBytes {
        let catalog = self.catalog();
        let (entity, ends) = (self.entity(&table.name), self.ends(&table.name));
        let indexes: Vec<&Table> = self.indexes(&table.name).collect();
        let of = |sizes: &RowSizes| self.dialect.row_bytes(table, &indexes, sizes);
        let row = |which| {
            if let Discipline::Indexed { of } = &table.discipline {
                // An index holds what its source shows; the source is made of the same fields.
                let source = self.program.tables.iter().find(|known| known.name == *of);
                let bytes = source.and_then(|source| {
                    let sizes = values::row(catalog, entity, source, which, ends);
                    self.dialect.index_row_bytes(table, source, &sizes)
                });
                return bytes.unwrap_or(0);
            }
            of(&values::row(catalog, entity, table, which, ends))
        };
        let typical = self.typical(table);
        RowBytes {
            typical: row(Which::Typical),
            worst: row(Which::Worst),
            beside: self.dialect.beside_row_bytes(),
            partition: self.dialect.partition_bytes(table, &typical),
            trace: values::trace(catalog, entity, table).as_ref().map_or(0, of),
        }
    }

    /// The sizes of a typical row of a table.
    pub fn typical(&self, table: &Table) -> RowSizes {
        values::row(self.catalog(), self.entity(&table.name), table, Which::Typical, self.ends(&table.name))
    }

    /// Whether each row of a table has an end of its own. Reservations never end with what holds them.
    fn ends(&self, table: &str) -> bool {
        let reserves =
            self.program.layout.table(table).is_some_and(|table| matches!(table.holds, Holds::Reservations { .. }));
        let kept = |entity: &Entity| match &entity.origin {
            Origin::History { of } => {
                let history = self.catalog().entity(of).and_then(|entity| entity.history.as_ref());
                history.is_some_and(|history| history.keep.is_some())
            }
            _ => matches!(entity.expires, Some(Expiry::At(_))),
        };
        !reserves && self.entity(table).is_some_and(kept)
    }

    /// The entity whose rows a table holds.
    pub(crate) fn entity(&self, table: &str) -> Option<&'a Entity> {
        let table = self.program.layout.table(table)?;
        self.catalog().entity(rows_of(self.catalog(), table)?)
    }

    /// The source table of an entity.
    pub(crate) fn source(&self, entity: &str) -> Option<&'a str> {
        let tables = self.program.layout.tables.iter();
        let mut sources =
            tables.filter(|table| matches!(&table.holds, Holds::Source { entity: of, .. } if of == entity));
        sources.next().map(|table| table.name.as_str())
    }

    /// The table that keeps a value of an entity's rows.
    pub(crate) fn kept(&self, entity: &str, field: &str) -> Option<&'a str> {
        let tables = self.program.layout.tables.iter();
        let mut kept = tables.filter(
            |table| matches!(&table.holds, Holds::Kept { entity: of, field: known, .. } if of == entity && known == field),
        );
        kept.next().map(|table| table.name.as_str())
    }

    /// Whether the rows of a table are values of a kept field.
    pub(crate) fn is_kept(&self, table: &str) -> bool {
        let found = self.program.layout.table(table);
        found.is_some_and(|table| matches!(table.holds, Holds::Kept { .. }))
    }

    /// The indexes that the engine keeps of a table.
    pub(crate) fn indexes<'b>(&'b self, table: &'b str) -> impl Iterator<Item = &'a Table> + 'b {
        let of = move |known: &&'a Table| matches!(&known.discipline, Discipline::Indexed { of } if of == table);
        self.program.tables.iter().filter(of)
    }

    /// How the rows of a table are written.
    pub(crate) fn discipline(&self, table: &str) -> Option<&'a Discipline> {
        self.program.all_tables().find(|known| known.name == table).map(|table| &table.discipline)
    }

    /// Whether a table is kept by the engine.
    pub(crate) fn is_index(&self, table: &str) -> bool {
        self.program
            .layout
            .table(table)
            .is_some_and(|table| matches!(&table.holds, Holds::Projection { keeper: Keeper::Index, .. }))
    }
}
