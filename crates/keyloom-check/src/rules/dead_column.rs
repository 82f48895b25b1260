use std::collections::BTreeSet;

use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use super::gathered;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "dead-column",
    level: Level::Note,
    summary: "a column that statements write and none reads",
    page: include_str!("dead_column.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| context.is_seen_whole(table) && !table.unknown) {
        let uses = context.uses(table);
        let reads = uses.iter().any(|one| one.is_service() && matches!(one.kind, StatementKind::Select(_)));
        if !reads || has_view(context, table) {
            continue;
        }
        let Some(looked_at) = looked_at(uses, table) else { continue };
        let written = written(uses);
        let dead = table
            .columns
            .iter()
            .filter(|column| matches!(column.kind, ColumnKind::Regular | ColumnKind::Static))
            .filter(|column| !looked_at.contains(column.name.as_str()) && written.contains(column.name.as_str()))
            .map(|column| (column.name.clone(), context.survey.made(column.made)))
            .collect();
        let name = &table.name;
        let message = |names: &str| format!("{names} of `{name}`: written, and no statement reads it");
        findings.extend(gathered(&RULE, dead, message).map(|finding| {
            finding.help("stop writing it and drop the column, unless something outside of this repository reads it")
        }));
    }
}

/// A view shows columns that its own statements read under its own name.
fn has_view(context: &SurveyContext<'_>, table: &Table) -> bool {
    let keyspace = context.survey.schema.keyspaces.get(&table.keyspace);
    keyspace.is_some_and(|keyspace| keyspace.views.values().any(|view| view.base.1 == table.name))
}

/// All columns that statements look at; `None` where one of them may look at any.
fn looked_at<'a>(uses: &[TableUse<'a>], table: &'a Table) -> Option<BTreeSet<&'a str>> {
    let mut looked_at = BTreeSet::new();
    for one in uses {
        looked_at.extend(one.columns_looked_at(table)?);
    }
    Some(looked_at)
}

/// All columns that the service sets, as far as they are known.
fn written<'a>(uses: &[TableUse<'a>]) -> BTreeSet<&'a str> {
    let sets = uses.iter().filter(|one| one.is_service() && one.sets());
    sets.filter_map(TableUse::columns_set).flatten().map(|name| name.text.as_str()).collect()
}
