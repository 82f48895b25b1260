use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::guess::time_part;
use crate::reads::names;

pub(crate) static RULE: Rule = Rule {
    name: "current-period-partition",
    level: Level::Warning,
    summary: "time alone is the partition key: all writes of now meet in one partition",
    page: include_str!("current_period_partition.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown && table.clustering().next().is_some()) {
        let mut key = table.partition_key();
        if !key.clone().all(time_part) {
            continue;
        }
        let by_use = is_written(context, table).then_some(Level::Warning);
        let Some(level) = by_use.or_else(|| context.level_by_shape(table, Level::Warning)) else { continue };
        let Some(first) = key.next().map(|column| column.name.clone()) else { continue };
        let key = names(table.partition_key().map(|column| column.name.as_str()));
        let verb = if table.partition_key().count() == 1 { "is" } else { "are" };
        let message = format!(
            "all writes of now meet in one partition of `{}`: {key} {verb} the whole partition key",
            table.name
        );
        findings.push(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(format!(
            "add an owner, or a bucket computed from the id, beside `{first}`: writes then spread over as many partitions, and a \
             read of a whole period asks each of them"
        )));
    }
}

/// Whether the service adds rows.
fn is_written(context: &SurveyContext<'_>, table: &Table) -> bool {
    context.uses_in_life(table).iter().any(|one| !one.is_test() && one.sets())
}
