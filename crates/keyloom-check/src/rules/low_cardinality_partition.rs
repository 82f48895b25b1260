use keyloom_cql::ast::Native;
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};

use super::{global_partition, status_partition};
use crate::guess::{few_values, gathers_over_time, holds_little, native};
use crate::reads::names;
use crate::{LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "low-cardinality-partition",
    level: Level::Warning,
    summary: "the partition key can have only a few values",
    page: include_str!("low_cardinality_partition.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let views = context.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.views.values());
    let tables = context.own_tables().chain(views.map(|view| &view.table));
    findings.extend(tables.filter_map(|table| check(context, table)));
}

fn check(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    // A constant has its own rule. Without clustering columns there are as few rows as values: a list, and a small one.
    if table.unknown || table.clustering().next().is_none() || global_partition::constants(context, table).is_some() {
        return None;
    }
    let reasons: Option<Vec<&str>> = table.partition_key().map(few_values).collect();
    let why = reasons?.first().copied()?;
    let key = names(table.partition_key().map(|column| column.name.as_str()));
    // A row per moment or per random id never stops coming; a name or a number may.
    let endless = gathers_over_time(table) || table.clustering().any(|column| native(column) == Some(Native::Uuid));
    let level = if endless && !holds_little(table) { Level::Warning } else { Level::Note };
    let message =
        format!("all rows of `{}` lie in a few partitions: {key} is the whole partition key, and {why}", table.name);
    Some(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(format!(
        "add what spreads the rows (an owner, or a bucket computed from the id, and a day beside it) to the partition key: a read by {key} \
         then asks one partition for each of its values"
    )))
}

/// Over a layout: a partition of enums and bools alone.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, entity) in context.spread_tables() {
        let parts = context.parts_beside_tenant(table, entity);
        let is_state = parts.iter().any(|part| entity.states.iter().any(|states| states.field == part.field()));
        // A state has its own rule.
        if is_state || context.has_tenant(table, entity) || !status_partition::few_values(context, table, entity) {
            continue;
        }
        let key = names(parts.iter().map(|part| part.field()));
        let message = format!(
            "all rows of `{}` lie in a few partitions: {key} is the whole partition key, and has few values",
            table.name
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .help("put what a caller can name before it (an owner, a place, a day)"),
        );
    }
}
