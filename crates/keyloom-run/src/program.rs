//! A catalog and its layout, made ready to run: tables, and for each pattern which table is read or decided and how.
//!
//! What can't be run yet is found here, all of it at once, before anything is served.

mod entity;
mod pattern;

use std::fmt;

use keyloom_model::{Catalog, Expr, Limit};
use keyloom_store::{Column, ColumnAt, Discipline, Group, SortColumn, Table};
use keyloom_value::{Kind, Value};

use crate::{carry::Companions, dirty, layout::Layout, record::Record};

pub(crate) use pattern::{From, Get, List, Outputs, Write};

/// Something that a catalog asks for and that is not run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotYet {
    /// Where it stands: `patterns.take_overdue`.
    pub at: String,
    /// What it is.
    pub what: String,
}

impl fmt::Display for NotYet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

/// What is run.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) catalog: Catalog,
    pub(crate) epoch: u32,
    pub(crate) companions: Companions,
    pub(crate) tables: Vec<Table>,
    pub(crate) entities: Vec<EntityPlan>,
    pub(crate) plans: Vec<Plan>,
}

/// The tables of one entity. Fields are counted in the order of the catalog.
#[derive(Debug, Clone)]
pub(crate) struct EntityPlan {
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Kind)>,
    /// The identity, in the catalog's order.
    pub(crate) key: Vec<usize>,
    pub(crate) source: Source,
    pub(crate) projections: Vec<Projection>,
    pub(crate) reservations: Vec<Reservation>,
}

/// The table that holds the truth.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) table: usize,
    /// The fields of its key.
    pub(crate) key: Vec<usize>,
    /// The fields of its other columns, behind those of every source.
    pub(crate) own: Vec<usize>,
    /// Where each field is.
    pub(crate) columns: Vec<ColumnAt>,
    /// What its rows must remember depends on it.
    pub(crate) companions: Companions,
}

/// A table whose rows are derived from the source.
#[derive(Debug, Clone)]
pub(crate) struct Projection {
    pub(crate) table: usize,
    pub(crate) key: Vec<usize>,
    pub(crate) own: Vec<usize>,
    /// Where each field is, if it is there.
    pub(crate) columns: Vec<Option<ColumnAt>>,
}

/// Who holds which value of a `unique`.
#[derive(Debug, Clone)]
pub(crate) struct Reservation {
    pub(crate) table: usize,
    pub(crate) unique: String,
    pub(crate) fields: Vec<usize>,
}

/// How a pattern is run.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Get(Get),
    List(List),
    Create(Write),
    Update(Write),
}

/// The largest page where a pattern states none.
pub(crate) const PAGE_ASSUMED: u64 = Limit::ASSUMED_ROWS;

/// Rows that remember what the process needs across restarts.
pub(crate) const SYSTEM: usize = 0;
/// What rows no longer remember themselves of the requests they absorbed.
pub(crate) const RECEIPTS: usize = 1;
/// What is to be looked at again; there where companions follow.
pub(crate) const DIRTY: usize = 2;

impl Program {
    /// Makes a catalog ready to run on a store where companions do that.
    ///
    /// # Errors
    /// With everything that it asks for and that is not run yet.
    pub fn compile(catalog: &Catalog, layout: &Layout, companions: Companions) -> Result<Self, Vec<NotYet>> {
        let mut tables = vec![system(), receipts(retries_ms(catalog))];
        if companions == Companions::Follow {
            tables.push(dirty::table(grace_ms(retries_ms(catalog))));
        }
        let mut program = Self {
            catalog: catalog.clone(),
            epoch: layout.epoch,
            companions,
            tables,
            entities: Vec::new(),
            plans: Vec::new(),
        };
        let mut found = Vec::new();
        if catalog.tenant.is_some() {
            found.push(NotYet { at: "tenant".into(), what: "tenants: there are no credentials yet".into() });
        }
        for entity in &catalog.entities {
            program.entity(entity, layout, &mut found);
        }
        for pattern in &catalog.patterns {
            program.pattern(pattern, layout, &mut found);
        }
        if found.is_empty() { Ok(program) } else { Err(found) }
    }

    /// For how long a repeated request has one effect.
    pub(crate) fn retries_ms(&self) -> i64 {
        retries_ms(&self.catalog)
    }
}

impl EntityPlan {
    pub(crate) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|(known, _)| known == name)
    }

    /// The key of its row in the source table.
    pub(crate) fn source_key(&self, record: &Record) -> Vec<Value<'static>> {
        self.source.key.iter().map(|field| record.values[*field].clone()).collect()
    }

    /// The same of one whose identity is known.
    pub(crate) fn source_key_of(&self, identity: &[Value<'static>]) -> Vec<Value<'static>> {
        reorder(identity, &self.key, &self.source.key)
    }

    /// Who it is, by the key of its row in the source table.
    pub(crate) fn identity_of(&self, source_key: &[Value<'static>]) -> Vec<Value<'static>> {
        reorder(source_key, &self.source.key, &self.key)
    }

    /// Who it is, as reservations name their owner.
    pub(crate) fn identity(&self, record: &Record) -> Vec<Value<'static>> {
        self.key.iter().map(|field| record.values[*field].clone()).collect()
    }
}

/// The values of these fields in the order of those.
fn reorder(values: &[Value<'static>], from: &[usize], to: &[usize]) -> Vec<Value<'static>> {
    let at = |field: &usize| from.iter().position(|known| known == field);
    to.iter().map(|field| at(field).map_or(Value::Null, |at| values[at].clone())).collect()
}

fn retries_ms(catalog: &Catalog) -> i64 {
    const DAY_MS: i64 = 86_400_000;
    catalog.retries.map_or(DAY_MS, |span| i64::try_from(span.milliseconds()).unwrap_or(i64::MAX / 4))
}

/// Removed and expired rows are remembered for this much longer than requests may be repeated.
pub(crate) fn grace_ms(retries_ms: i64) -> i64 {
    retries_ms.saturating_mul(2)
}

pub(crate) fn table(
    name: &str,
    discipline: Discipline,
    partition: Vec<Column>,
    sort: Vec<SortColumn>,
    columns: Vec<Column>,
) -> Table {
    Table { name: name.to_owned(), discipline, partition, sort, groups: vec![Group { columns }], grace_ms: 0 }
}

pub(crate) fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn system() -> Table {
    let columns = vec![column("value", Kind::Bytes)];
    table("kl_system", Discipline::Decided, vec![column("name", Kind::Text)], Vec::new(), columns)
}

fn receipts(retries_ms: i64) -> Table {
    let columns = vec![column("inputs", Kind::Bytes), column("version", Kind::Int)];
    let receipts = table("kl_receipt", Discipline::Placed, vec![column("request", Kind::Bytes)], Vec::new(), columns);
    Table { grace_ms: grace_ms(retries_ms), ..receipts }
}

/// An expression that a plan evaluates, with the kind it is to have.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
}
