use keyloom_cql::ast::{RelationKind, StatementKind};
use keyloom_cql::schema::{IndexKind, Keyspace, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use super::{gathered, redundant_structure};
use crate::reads::relations;
use crate::writing::names;
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unused-structure",
    level: Level::Warning,
    summary: "a table, view or index that no statement uses",
    page: include_str!("unused_structure.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for (name, keyspace) in &context.survey.schema.keyspaces {
        if !context.shows_its_statements(name) {
            findings.extend(mostly_unused(context, keyspace));
            continue;
        }
        let (mut idle, mut once, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for table in keyspace.tables.values().filter(|table| is_of_repository(context, table)) {
            if context.may_be_named(table) || is_read_through_view(context, table) {
                continue;
            }
            let uses = context.uses(table);
            if uses.is_empty() {
                idle.push(table);
            } else if context.is_own(table) && uses.iter().all(|one| one.of.role == Role::Migration) {
                once.push(table);
            } else if is_only_written(context, table) {
                unread.push(table);
            }
        }
        let unused = |names: &str| format!("no statement reads or writes {names}");
        findings.extend(told(context, idle, Level::Warning, unused));
        findings.extend(told(context, once, Level::Warning, |names| format!("only migrations read or write {names}")));
        let written = |names: &str| format!("{names}: rows are written, and no statement reads them");
        findings.extend(told(context, unread, Level::Note, written));
        findings.extend(unused_views(context, keyspace));
        for table in keyspace.tables.values().filter(|table| context.is_own(table)) {
            findings.extend(unused_indexes(context, table));
        }
    }
}

/// Of a keyspace in which most tables show no statement, a few things are still worth a note: that it is so, if the program
/// does write its statements down for many others, and indexes that the statements of their table do not ask.
fn mostly_unused(context: &SurveyContext<'_>, keyspace: &Keyspace) -> Vec<Finding> {
    const MANY: usize = 10;
    let own: Vec<&Table> = keyspace.tables.values().filter(|table| context.is_own(table)).collect();
    let in_use = |table: &&&Table| context.uses(table).iter().any(|one| !one.is_test() && one.of.site.is_some());
    if own.iter().filter(in_use).count() < MANY {
        return Vec::new();
    }
    let idle = own.iter().filter(|table| {
        context.uses(table).is_empty() && !context.may_be_named(table) && !is_read_through_view(context, table)
    });
    let idle: Vec<&Table> = idle.copied().collect();
    let mut findings: Vec<Finding> = own.iter().flat_map(|table| unused_indexes(context, table)).collect();
    if let Some(first) = idle.first() {
        let names = super::some_names(idle.iter().map(|table| table.name.as_str()));
        let message =
            format!("no statement that was read uses {} of the {} tables here: {names}", idle.len(), own.len());
        let help = "if another program uses them, review it together with this one; if none does, drop them";
        findings.push(Finding::new(&RULE, context.survey.made(first.made), message).help(help));
    }
    findings.into_iter().map(|finding| finding.level(Level::Note)).collect()
}

/// What is said about tables, and apart from it about those that a statement may use whose table is not known.
fn told(
    context: &SurveyContext<'_>,
    tables: Vec<&Table>,
    wanted: Level,
    message: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let (doubtful, clear): (Vec<&Table>, Vec<&Table>) =
        tables.into_iter().partition(|table| context.asked_of_any(table) > 0);
    let mut findings = Vec::new();
    for tables in [clear, doubtful] {
        let Some(first) = tables.first().copied() else { continue };
        let help = format!("drop what nothing needs; {}", what_decides(context, first));
        let places = tables.iter().map(|table| (table.name.clone(), context.survey.made(table.made))).collect();
        let level = level(context, first).min(wanted);
        findings.extend(gathered(&RULE, places, &message).map(|finding| finding.level(level).help(help.clone())));
    }
    findings
}

/// Who uses the tables of a migration tool is not seen, unless the tool is a program of this repository.
fn is_of_repository(context: &SurveyContext<'_>, table: &Table) -> bool {
    let writes = |one: &TableUse<'_>| one.sets() && one.of.site.is_some() && !one.is_test();
    context.is_own(table) || !context.is_for_tests(table) && context.uses(table).iter().any(writes)
}

fn is_read_through_view(context: &SurveyContext<'_>, table: &Table) -> bool {
    context.views_of(table).any(|view| !context.uses(&view.table).is_empty())
}

/// A condition reads too, and a truncation says that the rows matter to somebody. A test reads for itself, and a migration
/// once.
fn is_only_written(context: &SurveyContext<'_>, table: &Table) -> bool {
    let uses = context.uses(table);
    let in_life = || uses.iter().filter(|one| !one.is_test() && one.of.role != Role::Migration);
    context.is_seen_whole(table)
        && in_life().any(TableUse::sets)
        && in_life().all(|one| one.is_write() && !one.is_conditional())
}

fn unused_views(context: &SurveyContext<'_>, keyspace: &Keyspace) -> impl Iterator<Item = Finding> {
    keyspace
        .views
        .values()
        .filter(|view| context.uses(&view.table).is_empty() && !context.may_be_named(&view.table))
        .map(|view| {
            let (name, base) = (&view.table.name, &view.base.1);
            let message = format!("no statement reads the view `{name}`, and each write of `{base}` pays for it");
            let help = format!(
                "drop it: a write of `{base}` is then one write, without a read before it; {}",
                what_decides(context, &view.table)
            );
            let finding = Finding::new(&RULE, context.survey.made(view.table.key_made), message);
            finding.level(level(context, &view.table)).help(help)
        })
        .collect::<Vec<_>>()
        .into_iter()
}

fn unused_indexes<'a>(context: &'a SurveyContext<'_>, table: &'a Table) -> impl Iterator<Item = Finding> {
    let reads: Vec<_> = context.uses(table).iter().filter(|one| matches!(one.kind, StatementKind::Select(_))).collect();
    let asks_unknown = |kind: &RelationKind| matches!(kind, RelationKind::Custom { .. } | RelationKind::Token { .. });
    let silent = reads.is_empty()
        || context.may_be_named(table)
        || reads.iter().any(|read| read.is_open() || relations(read.kind).iter().any(|one| asks_unknown(&one.kind)));
    let asked = move |column: &str| reads.iter().any(|read| relations(read.kind).iter().any(|one| names(one, column)));
    let ordered_by_nearness = |name: &str| {
        table.column(name).is_some_and(|column| matches!(column.of, keyloom_cql::schema::Type::Vector(..)))
    };
    table
        .indexes
        .iter()
        .filter(move |index| {
            !silent
                && !matches!(index.kind, IndexKind::Custom(_))
                && !ordered_by_nearness(&index.column)
                && !asked(&index.column)
        })
        .map(|index| {
            let message = format!(
                "no statement asks `{}` by `{}`: the index `{}` costs each write and serves no read",
                table.name, index.column, index.name
            );
            Finding::new(&RULE, context.survey.made(index.made), message)
                .level(level(context, table))
                .help(format!("drop it; {}", what_decides(context, table)))
        })
}

/// What was not read, or is about a table that is not known, may use what seems unused.
fn level(context: &SurveyContext<'_>, table: &Table) -> Level {
    let all_known = context.survey.coverage.unread.is_empty() && context.asked_of_any(table) == 0;
    if all_known { Level::Warning } else { Level::Note }
}

fn what_decides(context: &SurveyContext<'_>, table: &Table) -> String {
    if let Some(doubt) = context.doubt(table) {
        return doubt;
    }
    match context.survey.coverage.unread.len() {
        0 => "look first whether something outside of this repository uses it".to_owned(),
        1 => "one statement could not be read: look first whether that one uses it".to_owned(),
        some => format!("{some} statements could not be read: look first whether one of them uses it"),
    }
}

/// Over a layout: a projection that answers no question.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    use keyloom_model::layout::{Holds, Table, Way};
    let upkeep = |table: &Table| match &table.holds {
        Holds::Source { upkeep, .. } | Holds::Kept { upkeep, .. } => Some(upkeep.clone()),
        _ => None,
    };
    let counted = |name: &str| {
        // Where a recount does not say from which table, any may be the one.
        context.tables().filter_map(upkeep).any(|upkeep| match upkeep.from {
            Some(from) => from == name,
            None => upkeep.way == Some(Way::Recount),
        })
    };
    for (table, entity) in context.row_tables() {
        let is_copy = matches!(table.holds, Holds::Projection { .. } | Holds::Newest { .. });
        let used = context.served_by(&table.name).next().is_some() || counted(&table.name);
        // Where something is not served at all, this table may have been meant for it.
        let refused = context.program.refusals.iter().any(|refusal| refusal.question.is_some());
        if !is_copy || used || refused || redundant_structure::covered_by(context, table).is_some() {
            continue;
        }
        let message = format!("no pattern reads `{}`, and each write of {} has to keep it", table.name, entity.name);
        findings.push(
            Finding::new(&RULE, context.table_place(&table.name), message)
                .help("take it out, or write down in `paths` which question it is for"),
        );
    }
}
