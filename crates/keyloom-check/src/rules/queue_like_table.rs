use keyloom_cql::ast::{Operator, RelationKind, Select, Selection, SelectorKind, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::time_part;
use crate::meaning::{grows_with_time, is_integer, thing};
use crate::reads::relations;
use crate::writing::{Reach, foremost};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "queue-like-table",
    level: Level::Warning,
    summary: "rows are taken from the front of a partition and deleted there",
    page: include_str!("queue_like_table.md"),
};

/// How long a tombstone is kept where nothing else is said.
const DEFAULT_GC_GRACE: u64 = 864_000;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let uses = context.uses(table);
        let takes = |one: &TableUse<'_>| one.deletes_rows() && one.reach(table) == Reach::Rows;
        let Some(delete) = foremost(uses, takes) else { continue };
        let Some(read) = uses.iter().find(|one| one.is_service() && reads_the_front(one, table)) else { continue };
        if !uses.iter().any(TableUse::sets) {
            continue;
        }
        let kept = table.gc_grace.as_ref().map_or(Some(DEFAULT_GC_GRACE), |(seconds, _)| *seconds);
        let kept = kept.map_or_else(|| "gc_grace_seconds".to_owned(), time_in_words);
        let message = format!(
            "`{}` is used as a queue: each read of the front passes over the tombstones of the rows taken before, kept for {kept}",
            table.name
        );
        let next = table.clustering().last().map_or("position", |column| &column.name);
        let next = table.clustering().find(|column| grows_with_time(column)).map_or(next, |column| &column.name);
        let help = format!(
            "remember where the last read stopped and go on from there (`AND {next} > ?`): it then passes over none; or give each period a partition of its own, and delete whole ones"
        );
        // A period is left behind with its tombstones; a shard is a queue of its own.
        let cut = table.partition_key().any(time_part);
        let level = delete.level(if cut { Level::Note } else { Level::Warning });
        let finding = Finding::new(&RULE, read.place(), message).level(level).help(help);
        findings.push(finding.related(delete.place(), "taken here, one by one"));
    }
}

/// Whether a read begins where rows are taken away: at the end of the partition that is the oldest.
fn reads_the_front(read: &TableUse<'_>, table: &Table) -> bool {
    let StatementKind::Select(select) = read.kind else { return false };
    let fixed = match read.reach(table) {
        Reach::Partition => 0,
        Reach::Run { fixed, .. } => fixed,
        Reach::Rows | Reach::Unknown => return false,
    };
    let Some(next) = table.clustering().nth(fixed) else { return false };
    if resumes(read, next) {
        return false;
    }
    let reversed = select.order_by.first().is_some_and(|order| order.descending != is_descending(next));
    let from_the_front = is_descending(next) == reversed;
    let grows = grows_with_time(next) || is_integer(&next.of);
    let named = match thing(table).unwrap_or_default().as_str() {
        "backlog" | "outbox" | "queue" | "spool" => true,
        "job" | "task" | "timer" => grows,
        _ => grows_with_time(next) && select.limit.is_some(),
    };
    from_the_front && named && !counts(select)
}

/// A count takes nothing.
fn counts(select: &Select) -> bool {
    match &select.selection {
        Selection::Of(selectors) => {
            selectors.iter().any(|one| matches!(one.kind, SelectorKind::CountRows | SelectorKind::Call(..)))
        }
        Selection::All => false,
    }
}

fn is_descending(column: &Column) -> bool {
    column.kind == ColumnKind::Clustering { descending: true }
}

/// Whether a read goes on behind a place that it knows.
fn resumes(read: &TableUse<'_>, next: &Column) -> bool {
    let behind = |operator: Operator| match operator {
        Operator::Greater | Operator::GreaterOrEqual => !is_descending(next),
        Operator::Less | Operator::LessOrEqual => is_descending(next),
        Operator::Between => true,
        _ => false,
    };
    relations(read.kind).iter().any(|relation| match &relation.kind {
        RelationKind::Column { column, operator, .. } => column.text == next.name && behind(*operator),
        RelationKind::Tuple { columns, operator, .. } => {
            columns.first().is_some_and(|first| first.text == next.name) && behind(*operator)
        }
        _ => false,
    })
}

fn time_in_words(seconds: u64) -> String {
    match seconds {
        0 => "the time until compaction".to_owned(),
        86_400 => "a day (gc_grace_seconds)".to_owned(),
        _ if seconds.is_multiple_of(86_400) => format!("{} days (gc_grace_seconds)", seconds / 86_400),
        _ => format!("{seconds} s (gc_grace_seconds)"),
    }
}
