use std::collections::BTreeSet;

use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use super::gathered;
use crate::reading::columns_named;
use crate::reads::some_names;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "dead-column",
    level: Level::Note,
    summary: "a column that no statement reads",
    page: include_str!("dead_column.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| context.is_seen_whole(table) && !table.unknown) {
        findings.extend(unread(context, table));
        findings.extend(unnamed(context, table));
    }
}

/// Columns that the service writes and nothing reads.
fn unread<'a>(context: &SurveyContext<'a>, table: &'a Table) -> Vec<Finding> {
    let readers = readers(context, table);
    let is_read = readers.iter().any(|(one, _)| one.is_service() && matches!(one.kind, StatementKind::Select(_)));
    let Some(looked_at) = looked_at(&readers).filter(|_| is_read) else { return Vec::new() };
    let written = written(context.uses(table));
    let needed = needed_by_views(context, table);
    let is_dead = |column: &&Column| {
        let name = column.name.as_str();
        written.contains(name) && !looked_at.contains(name) && !needed.contains(name)
    };
    let by_migration = read_by_migrations(context.uses(table), table);
    let dead = outside_of_key(table).filter(is_dead);
    let (once, never): (Vec<&Column>, Vec<&Column>) = dead.partition(|column| by_migration.contains(&*column.name));
    let of = &table.name;
    let help = match context.doubt(table) {
        None => "stop writing it and drop the column, unless something outside of this repository reads it".to_owned(),
        Some(doubt) => format!("stop writing it and drop the column; {doubt}"),
    };
    let told = |columns: Vec<&Column>, by: &str, help: &str| {
        let places = columns.iter().map(|column| (column.name.clone(), context.survey.made(column.made))).collect();
        let message = |names: &str| format!("{names} of `{of}`: written, and {by} reads it");
        gathered(&RULE, places, message).map(|finding| finding.help(help)).collect::<Vec<_>>()
    };
    let after = "stop writing it; it can be dropped once that migration is never run again, which fails without it";
    [told(never, "no statement", &help), told(once, "only a migration", after)].concat()
}

/// The columns that migrations ask for by name.
fn read_by_migrations<'a>(uses: &[TableUse<'a>], table: &'a Table) -> BTreeSet<&'a str> {
    let migrations = uses.iter().filter(|one| one.of.role == Role::Migration);
    migrations.filter_map(|one| one.columns_looked_at(table)).flatten().collect()
}

/// Columns that nothing writes and nothing reads, in one finding: they are often of one kind.
fn unnamed<'a>(context: &SurveyContext<'a>, table: &'a Table) -> Option<Finding> {
    let uses = context.uses(table);
    let writes = || uses.iter().filter(|one| one.is_write() && !one.is_test());
    if !writes().any(|one| one.is_service() && one.sets()) {
        return None;
    }
    // A mapper, or a text that is known in part, may name any.
    for write in writes() {
        write.columns_set()?;
    }
    // An insert that answers the row that is there can answer only what somebody wrote.
    let mut readers = readers(context, table);
    readers.retain(|(one, _)| one.insert().is_none());
    let mut named = looked_at(&readers)?;
    named.extend(uses.iter().flat_map(|one| columns_named(one.kind)));
    // A name that nothing has may be a misspelt one of these.
    if named.iter().any(|name| table.column(name).is_none()) {
        return None;
    }
    named.extend(needed_by_views(context, table));
    named.extend(table.indexes.iter().map(|index| index.column.as_str()));
    let idle: Vec<&Column> = outside_of_key(table).filter(|column| !named.contains(column.name.as_str())).collect();
    let first = idle.first()?;
    let names = some_names(idle.iter().map(|column| column.name.as_str()));
    let message = format!("no statement writes or reads {names} of `{}`", table.name);
    let help = match context.doubt(table) {
        None => "drop what nothing needs, unless something outside of this repository uses it".to_owned(),
        Some(doubt) => format!("drop what nothing needs; {doubt}"),
    };
    Some(Finding::new(&RULE, context.survey.made(first.made), message).help(help))
}

fn outside_of_key(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Regular | ColumnKind::Static))
}

/// The statements that may look at columns of a table: those on it and on its views, which show copies of them. What a
/// migration reads is read once, and a test reads for itself.
fn readers<'a>(context: &SurveyContext<'a>, table: &'a Table) -> Vec<(TableUse<'a>, &'a Table)> {
    let tables = std::iter::once(table).chain(context.views_of(table).map(|view| &view.table));
    let uses = tables.flat_map(|table| context.uses(table).iter().map(move |one| (*one, table)));
    uses.filter(|(one, _)| !one.is_test() && one.of.role != Role::Migration).collect()
}

/// The columns that views are made by: their keys, and what they ask of a row.
fn needed_by_views<'a>(context: &SurveyContext<'a>, table: &Table) -> BTreeSet<&'a str> {
    let mut needed = BTreeSet::new();
    for view in context.views_of(table) {
        let key = view.table.partition_key().chain(view.table.clustering());
        needed.extend(key.map(|column| column.name.as_str()));
        needed.extend(context.asked_by(view));
    }
    needed
}

/// All columns that statements look at; `None` where one of them may look at any.
fn looked_at<'a>(readers: &[(TableUse<'a>, &'a Table)]) -> Option<BTreeSet<&'a str>> {
    let mut looked_at = BTreeSet::new();
    for (one, table) in readers {
        looked_at.extend(one.columns_looked_at(table)?);
    }
    Some(looked_at)
}

/// All columns that the service sets, as far as they are known.
fn written<'a>(uses: &[TableUse<'a>]) -> BTreeSet<&'a str> {
    let sets = uses.iter().filter(|one| one.is_service() && one.sets());
    sets.filter_map(TableUse::columns_set).flatten().map(|name| name.text.as_str()).collect()
}
