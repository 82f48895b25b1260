//! The statements of a survey, one by one: batches taken apart, tables looked up.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::{Statement, StatementKind, Using};
use keyloom_cql::schema::Lookup;
use keyloom_finding::Place;
use keyloom_survey::{BatchKind, Role, Survey, Use};

use crate::kinship::Together;
use crate::source::Sources;

/// A statement that reads or writes rows of one table.
pub(crate) struct Asking<'s> {
    pub(crate) statement: &'s Statement,
    /// The table; nothing where the name leads to none.
    pub(crate) source: Option<usize>,
    /// Which table it names is known only at run time.
    pub(crate) table_unknown: bool,
    pub(crate) place: Place,
    pub(crate) function: Option<&'s str>,
    pub(crate) page_size: Option<u64>,
    pub(crate) role: Role,
    /// A part of it is known only at run time.
    pub(crate) dynamic: bool,
    /// The batch that it is written in.
    pub(crate) batch: Option<Batch>,
}

/// Which batch, and whether all of it happens or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Batch {
    pub(crate) number: (u32, u32),
    pub(crate) whole: bool,
    pub(crate) in_loop: bool,
}

/// All statements of a survey, in its order.
pub(crate) fn statements<'s>(survey: &'s Survey, sources: &Sources<'s>) -> Vec<Asking<'s>> {
    let mut all = Vec::new();
    for (at, used) in survey.uses.iter().enumerate() {
        let site_batch = used.site.as_ref().and_then(|site| {
            let batch = site.batch.as_ref()?;
            // The numbers of units begin with 1 here: 0 is that of batches in one text.
            let unit = u32::try_from(site.unit + 1).unwrap_or(u32::MAX);
            let whole = batch.kind != BatchKind::Unlogged;
            Some(Batch { number: (unit, batch.id), whole, in_loop: batch.in_loop })
        });
        match &used.written.statement.kind {
            StatementKind::Batch(batch) => {
                let number = (0, u32::try_from(at).unwrap_or(u32::MAX));
                let whole = batch.kind != keyloom_cql::ast::BatchKind::Unlogged;
                for statement in &batch.statements {
                    all.push(asking(survey, sources, used, statement, Some(Batch { number, whole, in_loop: false })));
                }
            }
            _ => all.push(asking(survey, sources, used, &used.written.statement, site_batch)),
        }
    }
    all
}

fn asking<'s>(
    survey: &'s Survey,
    sources: &Sources<'s>,
    used: &'s Use,
    statement: &'s Statement,
    batch: Option<Batch>,
) -> Asking<'s> {
    let found = statement.kind.table().map(|name| survey.schema.find(name, used.written.keyspace.as_deref()));
    let source = match found {
        Some(Lookup::One(table) | Lookup::Several(table)) => sources.find(table),
        _ => None,
    };
    let site = used.site.as_ref();
    Asking {
        statement,
        source,
        table_unknown: statement.kind.table().is_some_and(|name| name.name.unknown),
        place: used.place(statement.span),
        function: site.and_then(|site| site.function.as_deref()),
        page_size: site.and_then(|site| site.page_size.as_deref()).and_then(|size| size.parse().ok()),
        role: used.role,
        dynamic: used.dynamic || !used.unknown().is_empty() || !statement.unknown.is_empty(),
        batch,
    }
}

/// What stands behind `USING` of an insert or update.
pub(crate) fn using(statement: &Statement) -> &[Using] {
    match &statement.kind {
        StatementKind::Insert(insert) => &insert.using,
        StatementKind::Update(update) => &update.using,
        _ => &[],
    }
}

/// Tables that rows are put into by one batch.
pub(crate) fn together(all: &[Asking<'_>]) -> Together {
    /// More tables in one batch tell nothing about two of them.
    const TABLES_MAX: usize = 12;
    let mut batches: BTreeMap<(u32, u32), BTreeSet<usize>> = BTreeMap::new();
    for asking in all {
        if let (Some(batch), Some(source), StatementKind::Insert(_)) =
            (asking.batch, asking.source, &asking.statement.kind)
        {
            batches.entry(batch.number).or_default().insert(source);
        }
    }
    let mut pairs = Together::new();
    for tables in batches.values().filter(|tables| tables.len() <= TABLES_MAX) {
        for one in tables {
            pairs.extend(tables.range(one + 1..).map(|other| (*one, *other)));
        }
    }
    pairs
}
