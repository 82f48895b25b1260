use std::collections::BTreeMap;

use keyloom_cql::ast::{QualifiedName, StatementKind};
use keyloom_cql::schema::{Lookup, Table};
use keyloom_survey::{Survey, Use};

/// What a rule over a survey may look at.
pub struct SurveyContext<'a> {
    /// The survey.
    pub survey: &'a Survey,
    /// The uses of each table, by keyspace and name; those inside of a batch too.
    uses: BTreeMap<&'a str, BTreeMap<&'a str, Vec<TableUse<'a>>>>,
}

/// A statement on one table: a use of its own, or one of those inside of a batch.
#[derive(Clone, Copy)]
pub struct TableUse<'a> {
    /// The use it belongs to.
    pub of: &'a Use,
    /// The statement on the table.
    pub kind: &'a StatementKind,
    /// From its first token to its last.
    pub span: keyloom_cql::Span,
}

impl<'a> SurveyContext<'a> {
    /// The context of one review.
    pub fn new(survey: &'a Survey) -> Self {
        let mut uses: BTreeMap<_, BTreeMap<_, Vec<TableUse<'a>>>> = BTreeMap::new();
        for of in &survey.uses {
            let statement = &of.written.statement;
            let inner = match &statement.kind {
                StatementKind::Batch(batch) => batch.statements.as_slice(),
                _ => std::slice::from_ref(statement),
            };
            for statement in inner {
                let found =
                    table_name(&statement.kind).map(|name| survey.schema.find(name, of.written.keyspace.as_deref()));
                if let Some(Lookup::One(table)) = found {
                    let of_keyspace = uses.entry(table.keyspace.as_str()).or_default();
                    of_keyspace.entry(table.name.as_str()).or_default().push(TableUse {
                        of,
                        kind: &statement.kind,
                        span: statement.span,
                    });
                }
            }
        }
        Self { survey, uses }
    }

    /// The tables, without views, by keyspace and name.
    pub fn tables(&self) -> impl Iterator<Item = &'a Table> {
        self.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values())
    }

    /// The statements on a table or view.
    pub fn uses(&self, table: &Table) -> &[TableUse<'a>] {
        let of_keyspace = self.uses.get(table.keyspace.as_str());
        of_keyspace.and_then(|tables| tables.get(table.name.as_str())).map_or(&[], Vec::as_slice)
    }

    /// The table that a statement is about; `None` for a batch, and where the name leads to none or to several.
    pub fn table(&self, of: &Use, kind: &StatementKind) -> Option<&'a Table> {
        match self.survey.schema.find(table_name(kind)?, of.written.keyspace.as_deref()) {
            Lookup::One(table) => Some(table),
            Lookup::Several(_) | Lookup::None => None,
        }
    }
}

/// The table that a statement reads or writes.
pub(crate) fn table_name(kind: &StatementKind) -> Option<&QualifiedName> {
    match kind {
        StatementKind::Select(select) => Some(&select.table),
        StatementKind::Insert(insert) => Some(&insert.table),
        StatementKind::Update(update) => Some(&update.table),
        StatementKind::Delete(delete) => Some(&delete.table),
        StatementKind::Truncate(table) => Some(table),
        _ => None,
    }
}
