use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::HOLE;
use keyloom_cql::ast::{QualifiedName, StatementKind};
use keyloom_cql::schema::{Lookup, Made, Table};
use keyloom_finding::{FileId, Sources};
use keyloom_survey::{Survey, SurveyFaultKind, Use};

use crate::meaning::{is_bookkeeping, is_of_tests};

/// What a rule over a survey may look at.
pub struct SurveyContext<'a> {
    /// The survey.
    pub survey: &'a Survey,
    /// The files that it points into.
    sources: &'a Sources,
    /// The names of tables in statements that do not lead to one table for sure: those that are known, and those with holes.
    loose: BTreeSet<&'a str>,
    holed: BTreeSet<&'a str>,
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
    pub fn new(survey: &'a Survey, sources: &'a Sources) -> Self {
        let mut uses: BTreeMap<_, BTreeMap<_, Vec<TableUse<'a>>>> = BTreeMap::new();
        let (mut loose, mut holed) = (BTreeSet::new(), BTreeSet::new());
        for of in &survey.uses {
            let statement = &of.written.statement;
            let inner = match &statement.kind {
                StatementKind::Batch(batch) => batch.statements.as_slice(),
                _ => std::slice::from_ref(statement),
            };
            for statement in inner {
                let Some(name) = table_name(&statement.kind) else { continue };
                let found = survey.schema.find(name, of.written.keyspace.as_deref());
                if !matches!(found, Lookup::One(_)) {
                    let names = if name.name.unknown { &mut holed } else { &mut loose };
                    names.insert(name.name.text.as_str());
                }
                if let Lookup::One(table) = found {
                    let of_keyspace = uses.entry(table.keyspace.as_str()).or_default();
                    of_keyspace.entry(table.name.as_str()).or_default().push(TableUse {
                        of,
                        kind: &statement.kind,
                        span: statement.span,
                    });
                }
            }
        }
        Self { survey, sources, loose, holed, uses }
    }

    /// The tables, without views, by keyspace and name.
    pub fn tables(&self) -> impl Iterator<Item = &'a Table> {
        self.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values())
    }

    /// The tables that a service may keep its rows in: neither those of tests, nor those of a migration tool or the server.
    pub(crate) fn own_tables(&self) -> impl Iterator<Item = &'a Table> {
        self.tables().filter(|table| self.is_own(table))
    }

    /// Whether a table is one of those.
    pub(crate) fn is_own(&self, table: &Table) -> bool {
        // A dump of a test cluster may be the only schema there is.
        let mixed = || self.survey.schema.keyspaces.keys().any(|keyspace| !is_of_tests(keyspace));
        let of_tests = is_of_tests(&table.keyspace) && mixed() || self.file_of(table.made).is_some_and(is_of_tests);
        !of_tests && !is_bookkeeping(table)
    }

    /// The statements on a table or view.
    pub fn uses(&self, table: &Table) -> &[TableUse<'a>] {
        let of_keyspace = self.uses.get(table.keyspace.as_str());
        of_keyspace.and_then(|tables| tables.get(table.name.as_str())).map_or(&[], Vec::as_slice)
    }

    /// Whether all statements on a table are known: everything could be read, and no statement whose table is not known
    /// for sure may be about this one. Only then something may be concluded from what is not there.
    pub fn is_seen_whole(&self, table: &Table) -> bool {
        let coverage = &self.survey.coverage;
        let all_read =
            coverage.unread.is_empty() && !self.survey.faults.iter().any(|fault| fault.kind == SurveyFaultKind::Syntax);
        self.survey.is_whole() || (all_read && !self.may_be_named(table))
    }

    /// Whether a statement whose table is not known for sure may be about this one.
    pub fn may_be_named(&self, table: &Table) -> bool {
        self.loose.contains(table.name.as_str()) || self.holed.iter().any(|name| may_be(name, &table.name))
    }

    /// Files with statements on tables that are known: what else they say is meant for this schema too.
    pub(crate) fn files_at_home(&self) -> BTreeSet<FileId> {
        let used = self.survey.uses.iter().filter(|of| of.resolution.access.is_some());
        used.map(|of| of.whole().file).collect()
    }

    /// The name of the file in which something of the schema was made.
    pub fn file_of(&self, made: Made) -> Option<&'a str> {
        self.survey.made(made).map(|place| self.sources.file(place.file).name())
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

/// Whether a name with holes may be this one: what stands before its first hole and behind its last fits.
fn may_be(name: &str, wanted: &str) -> bool {
    let before = name.split(HOLE).next().unwrap_or_default();
    let behind = name.rsplit(HOLE).next().unwrap_or_default();
    wanted.starts_with(before) && wanted.ends_with(behind)
}
