use std::collections::BTreeSet;

use keyloom_cql::ast::{Select, StatementKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use super::unbounded_partition;
use crate::guess::gathers_over_time;
use crate::meaning::has_word;
use crate::reads::{constant, given, names, relations, restricted};
use crate::writing::Reach;
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "global-partition",
    level: Level::Warning,
    summary: "the partition key is a constant: all rows lie in one partition",
    page: include_str!("global_partition.md"),
};

/// A column that gets the same value everywhere.
pub(crate) struct Constant<'a> {
    column: &'a str,
    /// `None` where only its name says so, and no statement was seen.
    value: Option<&'a str>,
}

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown) {
        let Some(constants) = constants(context, table) else {
            findings.extend(idle(context, table));
            continue;
        };
        if is_one_cell(context, table) {
            continue;
        }
        let seen = constants.iter().all(|constant| constant.value.is_some());
        let (name, why) = (&table.name, why(&constants));
        // A table of one row is fine while the row is small.
        let (level, message, help) = if table.clustering().next().is_none() {
            let help = "fine for a small row that callers keep for a while; if each request reads it, its replicas are the limit";
            (Level::Note, format!("`{name}` holds one row: {why}"), help)
        } else if context.uses(table).iter().any(|one| one.is_conditional() && one.is_in_batch()) {
            let help = "a batch with a condition needs its rows in one partition: keep in it only the rows that are decided together, and the many others in a table that is spread";
            (Level::Note, format!("all rows of `{name}` lie in one partition: {why}"), help)
        } else {
            let level = if seen { Level::Warning } else { Level::Note };
            let help = "spread it: a bucket computed from the id in the partition key, and a day where rows gather over time; a read of all then asks each of them";
            (level, format!("all rows of `{name}` lie in one partition: {why}"), help)
        };
        findings.push(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(help));
    }
}

/// Whether a partition serves as a cell for one row: it is emptied as a whole, and whoever reads it wants one row.
fn is_one_cell(context: &SurveyContext<'_>, table: &Table) -> bool {
    let mut reads = context.uses(table).iter().filter_map(|one| match one.kind {
        StatementKind::Select(select) if !one.is_test() => Some((one, select)),
        _ => None,
    });
    let is_emptied = || {
        let empties = |one: &TableUse<'_>| one.deletes_rows() && one.reach(table) == Reach::Partition;
        context.uses(table).iter().any(|one| one.is_service() && empties(one))
    };
    let wants_one = |(one, select): (&TableUse<'_>, &Select)| {
        let limit = select.limit.as_ref().and_then(|limit| constant(one.of, limit));
        limit == Some("1") || one.reach(table) == Reach::Rows
    };
    table.clustering().next().is_some() && is_emptied() && reads.all(wants_one)
}

/// A part of the partition key that is always the same, so that the others are the whole key. Where the partition is
/// one that grows for ever, that is said of it as a whole.
fn idle(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    let parts = idle_parts(context, table);
    if parts.is_empty() || unbounded_partition::finding(context, table).is_some() {
        return None;
    }
    let others = table.partition_key().filter(|column| !parts.iter().any(|part| part.column == column.name));
    let others = names(others.map(|column| column.name.as_str()));
    let message = format!(
        "the partition key of `{}` is not cut by {}: {}, and all rows of one {others} lie in one partition",
        table.name,
        names(parts.iter().map(|part| part.column)),
        why(&parts)
    );
    let help = format!(
        "compute it: from the time, so that partitions are closed, or from the id, so that they spread (a read then asks each); else say in `because` how many rows one {others} has"
    );
    let endless = gathers_over_time(table) && !unbounded_partition::is_bounded(context, table);
    let level = if endless { Level::Warning } else { Level::Note };
    Some(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(help))
}

/// The parts of a partition key that get the same value everywhere, while others do not.
pub(crate) fn idle_parts<'a>(context: &SurveyContext<'a>, table: &'a Table) -> Vec<Constant<'a>> {
    let parts = table.partition_key().filter_map(|column| constant_column(context, table, column));
    let parts: Vec<Constant<'a>> = parts.filter(|part| part.value.is_some()).collect();
    if parts.len() < table.partition_key().count() { parts } else { Vec::new() }
}

fn why(constants: &[Constant<'_>]) -> String {
    let each = constants.iter().map(|constant| match constant.value {
        Some(value) => format!("`{} = {value}` in every statement", constant.column),
        None => format!("`{}` is a constant, by its name", constant.column),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// What every statement gives the columns of the partition key, if it is always the same.
pub(crate) fn constants<'a>(context: &SurveyContext<'a>, table: &'a Table) -> Option<Vec<Constant<'a>>> {
    let constants: Option<Vec<Constant<'a>>> =
        table.partition_key().map(|column| constant_column(context, table, column)).collect();
    constants.filter(|constants| !constants.is_empty())
}

/// The column as a constant, if no statement gives it two values, or one that is not known.
fn constant_column<'a>(context: &SurveyContext<'a>, table: &Table, column: &'a Column) -> Option<Constant<'a>> {
    let mut values: BTreeSet<&str> = BTreeSet::new();
    let mut times = 0;
    for of in context.uses(table).iter().filter(|of| of.of.role != Role::Test) {
        let Some(value) = given(of.kind, &column.name) else {
            // A read of all partitions gives no value; anything else gives one that is not seen here.
            let names_it =
                relations(of.kind).iter().any(|relation| restricted(relation).contains(&column.name.as_str()));
            let whole = matches!(of.kind, StatementKind::Select(_)) && !names_it && of.of.unknown().is_empty();
            if whole || matches!(of.kind, StatementKind::Truncate(_)) {
                continue;
            }
            return None;
        };
        values.insert(constant(of.of, value)?);
        times += 1;
    }
    let told = has_word(&column.name, &["singleton", "global", "constant", "dummy", "always"]);
    match values.into_iter().collect::<Vec<_>>().as_slice() {
        // One statement alone may be one of many that are not here.
        [only] if times > 1 || told => Some(Constant { column: &column.name, value: Some(only) }),
        [] if told => Some(Constant { column: &column.name, value: None }),
        _ => None,
    }
}

/// Over a layout: `partition: [all]` on an engine that spreads rows over machines.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const FEW: u64 = 1_000;
    for (table, entity) in context.spread_tables() {
        let all = table.partition.parts().is_empty();
        if !all {
            continue;
        }
        let rows = context.rows(table);
        let few = rows.as_ref().is_some_and(|rows| rows.worst <= FEW && !rows.endless);
        let level = if few { Level::Note } else { Level::Warning };
        let message =
            format!("all rows of `{}` lie in one partition, however many {} there are", table.name, entity.name);
        let mut finding = Finding::new(&RULE, context.word_place(&table.name, "partition"), message).level(level).help(
            "partition by what a caller can name (an owner, a kind), or cut it by time: a worker that takes what is due reads \
             `day(due_at)` one by one",
        );
        finding.derivation = rows.map(|rows| format!("at most {}", rows.words));
        findings.push(finding);
    }
}
