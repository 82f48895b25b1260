use std::collections::BTreeMap;

use keyloom_cql::resolve::Partitions;
use keyloom_cql::schema::{Index, IndexKind};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::SurveyContext;
use crate::guess::{few_values, nearly_unique};
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
    for ((_, _, name), reads) in by_index {
        let Some(read) = reads.first() else { continue };
        let Some(index) = read.table.indexes.iter().find(|index| index.name == name) else { continue };
        findings.push(finding(context, read, index, reads.len()));
    }
}

fn finding(context: &SurveyContext<'_>, read: &Read<'_>, index: &Index, reads: usize) -> Finding {
    let (table, column) = (&read.table.name, &index.column);
    let shape = read.table.column(column);
    let mut help = format!(
        "on a frequent path keep a table with `{column}` as partition key: one node is asked, for one more write per row"
    );
    let (level, why) = if let Some(few) = shape.and_then(few_values) {
        help = "keep the rows that are asked for in a table of their own, spread by a bucket or a day; or give the partition \
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
