use std::collections::BTreeSet;

use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::SurveyContext;
use crate::guess::words;
use crate::reads::{constant, given, relations, restricted};

pub(crate) static RULE: Rule = Rule {
    name: "global-partition",
    level: Level::Warning,
    summary: "the partition key is a constant: all rows lie in one partition",
    page: include_str!("global_partition.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown) {
        let Some(constants) = constants(context, table) else { continue };
        let one_row = table.clustering().next().is_none();
        let name = &table.name;
        let message = if one_row {
            format!("`{name}` holds one row: {} in every statement", constants.join(", "))
        } else {
            format!("all rows of `{name}` lie in one partition: {} in every statement", constants.join(", "))
        };
        let help = if one_row {
            "fine for a small row that callers keep for a while; if each request reads it, its replicas are the limit"
        } else {
            "spread it: a bucket computed from the id, or a day, in the partition key; a read of all then asks each of them"
        };
        let level = if one_row { Level::Note } else { Level::Warning };
        findings.push(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(help));
    }
}

/// What every statement gives the columns of the partition key, if it is always the same.
pub(crate) fn constants(context: &SurveyContext<'_>, table: &Table) -> Option<Vec<String>> {
    let constants: Option<Vec<String>> =
        table.partition_key().map(|column| only_value(context, table, column)).collect();
    constants.filter(|constants| !constants.is_empty())
}

/// `column = 'x'`, if no statement gives the column anything else.
fn only_value(context: &SurveyContext<'_>, table: &Table, column: &Column) -> Option<String> {
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
    let tells = |word: &String| ["singleton", "global", "constant", "dummy", "always"].contains(&word.as_str());
    let told = words(&column.name).iter().any(tells);
    match values.into_iter().collect::<Vec<_>>().as_slice() {
        // One statement alone may be one of many that are not here.
        [only] if times > 1 || told => Some(format!("`{} = {only}`", column.name)),
        [] if told => Some(format!("`{}`, by its name a constant,", column.name)),
        _ => None,
    }
}
