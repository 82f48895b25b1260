use keyloom_cql::ast::{Native, StatementKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::guess::native;
use crate::reads::{given, names};
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "boundary-mismatch",
    level: Level::Error,
    summary: "the partition key has a column that a statement does not give, or lacks one that all give",
    page: include_str!("boundary_mismatch.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let mut finding = rejection.finding(&RULE, context);
        let Some(table) = rejection.table else { continue };
        let lacking: Vec<&str> = match rejection.kind {
            StatementKind::Insert(_) => {
                key_columns(table).filter(|name| given(rejection.kind, name).is_none()).collect()
            }
            _ => rejection.not_given(table.partition_key()),
        };
        if lacking.is_empty() {
            findings.push(finding);
            continue;
        }
        let (key, lacking) = (names(key_columns(table)), names(lacking));
        finding.message = format!("rows of `{}` lie by {key}, and this statement does not give {lacking}", table.name);
        findings.push(finding.help(format!(
            "give {lacking} too (`=` or `IN`), or keep a table whose partition key is only what this statement knows: its \
             partitions are larger by all values of {lacking}"
        )));
    }
    findings.extend(context.own_tables().filter_map(|table| always_given(context, table)));
}

fn key_columns(table: &Table) -> impl Iterator<Item = &str> {
    table.partition_key().map(|column| column.name.as_str())
}

/// A partition that holds many series, though every statement names the one it is about: it grows with all of them.
fn always_given(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    let mut clustering = table.clustering();
    let name = clustering.next().filter(|_| clustering.clone().any(is_moment))?.name.as_str();
    let uses: Vec<&TableUse<'_>> = context.uses(table).iter().filter(|of| of.of.role != Role::Test).collect();
    let names_it = |of: &&TableUse<'_>| given(of.kind, name).is_some() && !of.of.dynamic && of.of.unknown().is_empty();
    let reads = uses.iter().filter(|of| matches!(of.kind, StatementKind::Select(_))).count();
    // What is written in one batch may have to lie in one partition.
    let in_batch = |of: &&TableUse<'_>| {
        let assembled = of.of.site.as_ref().is_some_and(|site| site.batch.is_some());
        assembled || matches!(of.of.written.statement.kind, StatementKind::Batch(_))
    };
    if table.unknown || reads == 0 || uses.len() < 3 || !uses.iter().all(names_it) || uses.iter().any(in_batch) {
        return None;
    }
    let level =
        if context.is_seen_whole(table) && context.asked_of_any(table) == 0 { Level::Warning } else { Level::Note };
    let key = names(table.partition_key().map(|column| column.name.as_str()));
    let message = format!(
        "each of {} statements on `{}` gives `{name}`, which is not in its partition key",
        uses.len(),
        table.name
    );
    Some(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(format!(
        "in a new table, add `{name}` to the partition key: a partition then holds one series and not all of {key}, and no \
         statement changes"
    )))
}

fn is_moment(column: &Column) -> bool {
    matches!(native(column), Some(Native::Timestamp | Native::Timeuuid))
}

/// Over a layout: what the program refuses.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE).into_iter().map(|finding| finding.level(Level::Error)));
}
