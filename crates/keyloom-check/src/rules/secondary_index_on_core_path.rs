use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::resolve::Partitions;
use keyloom_cql::schema::{Index, IndexKind};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use super::{global_partition, unbounded_partition};
use crate::SurveyContext;
use crate::guess::{few_values, gathers_over_time, nearly_unique};
use crate::reads::Read;

pub(crate) static RULE: Rule = Rule {
    name: "secondary-index-on-core-path",
    level: Level::Warning,
    summary: "a read by an index alone asks every node",
    page: include_str!("secondary_index_on_core_path.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    // One index is one cause, however many statements go through it.
    let mut by_index: BTreeMap<(&str, &str, &str), Vec<Read<'_>>> = BTreeMap::new();
    for read in context.reads().filter(|read| read.of.role == Role::Service && !read.access.filters) {
        let index = read.access.index.as_deref().filter(|_| read.access.partitions == Partitions::ByIndex);
        let Some(index) = index else { continue };
        by_index.entry((&read.table.keyspace, &read.table.name, index)).or_default().push(read);
    }
    findings.extend(within_partitions(context));
    for ((_, _, name), reads) in by_index {
        let Some(read) = reads.first() else { continue };
        let Some(index) = read.table.indexes.iter().find(|index| index.name == name) else { continue };
        findings.push(finding(context, read, index, reads.len()));
    }
}

/// Indexes on columns with few values, read within a partition that has no bound: they find a large part of it.
fn within_partitions(context: &SurveyContext<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for read in context.reads().filter(|read| read.of.role == Role::Service && !read.is_open()) {
        let index =
            read.access.index.as_deref().and_then(|name| read.table.indexes.iter().find(|index| index.name == name));
        let Some(index) = index else { continue };
        let Some(few) = read.table.column(&index.column).and_then(few_values) else { continue };
        let grows = || {
            let endless = unbounded_partition::finding(context, read.table).is_some();
            endless || gathers_over_time(read.table) && !global_partition::idle_parts(context, read.table).is_empty()
        };
        if !seen.insert((&read.table.keyspace, &read.table.name, &index.name)) || !grows() {
            continue;
        }
        let message = format!(
            "the index on `{}` finds a large part of a partition of `{}`, which nothing cuts: {few}",
            index.column, read.table.name
        );
        let help = format!(
            "put `{}` before the time in the key of a table of its own, so that what is asked lies in one run",
            index.column
        );
        let finding = Finding::new(&RULE, read.place(), message).level(Level::Note).help(help);
        findings.push(finding.related(context.survey.made(index.made), "the index"));
    }
    findings
}

fn finding(context: &SurveyContext<'_>, read: &Read<'_>, index: &Index, reads: usize) -> Finding {
    let (table, column) = (&read.table.name, &index.column);
    let shape = read.table.column(column);
    let mut help = format!(
        "on a frequent path keep a table with `{column}` as partition key: one node is asked, for one more write per row"
    );
    let (level, why) = if let Some(few) = shape.and_then(few_values) {
        help = "keep the rows that are asked for in a table of their own, spread by a bucket; or give the partition \
                key beside the column, so that one node answers"
            .to_owned();
        (read.level(), format!("; {few}, so the index finds a large part of the table"))
    } else if shape.is_some_and(nearly_unique) && index.kind == IndexKind::Legacy {
        (read.level(), ", and one of them has the row".to_owned())
    } else {
        (Level::Note, String::new())
    };
    let times = if reads > 1 { format!(" by {reads} statements") } else { String::new() };
    let message = format!(
        "`{table}` is read{times} by its index on `{column}` without a partition key: every node is asked{why}"
    );
    Finding::new(&RULE, read.place(), message)
        .level(level)
        .related(context.survey.made(index.made), "the index")
        .help(help)
}
