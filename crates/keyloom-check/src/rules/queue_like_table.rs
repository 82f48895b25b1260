use keyloom_cql::ast::{Operator, RelationKind, Select, Selection, SelectorKind, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use super::tombstone_heavy_read::left_behind;
use crate::guess::time_part;
use crate::meaning::{grows_with_time, has_word, is_clock, is_integer, thing};
use crate::reads::relations;
use crate::writing::{Reach, foremost};
use crate::{LayoutContext, SurveyContext, TableUse};

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
        if uses.iter().any(TableUse::sets) {
            findings.extend(taken_from_the_front(table, uses).or_else(|| read_forward(table, uses)));
        }
    }
}

/// A queue whose reads begin where rows are taken away.
fn taken_from_the_front(table: &Table, uses: &[TableUse<'_>]) -> Option<Finding> {
    let takes = |one: &TableUse<'_>| one.deletes_rows() && one.reach(table) == Reach::Rows;
    let delete = foremost(uses, takes)?;
    let read = uses.iter().find(|one| one.is_service() && reads_the_front(one, table))?;
    let message = format!(
        "`{}` is used as a queue: each read of the front passes over the tombstones of the rows taken before, kept for {}",
        table.name,
        kept(table)
    );
    let next = table.clustering().last().map_or("position", |column| &column.name);
    let next = table.clustering().find(|column| grows_with_time(column)).map_or(next, |column| &column.name);
    let help = format!(
        "remember where the last read stopped and go on from there (`AND {next} > ?`): it then passes over none; or give each period a partition of its own, and delete whole ones"
    );
    let finding = Finding::new(&RULE, read.place(), message).level(delete.level(loudest(table))).help(help);
    Some(finding.related(delete.place(), "taken here, one by one"))
}

/// A queue whose reads go on behind a place that they know: fast by design, but for a read that begins at the other end.
fn read_forward(table: &Table, uses: &[TableUse<'_>]) -> Option<Finding> {
    let (at, next) = table.clustering().enumerate().find(|(at, next)| {
        let goes_on = |one: &TableUse<'_>| one.is_service() && matches!(one.kind, StatementKind::Select(_));
        uses.iter().any(|one| goes_on(one) && begins_at(one, table, *at) && bounds(one, &next.name, &FROM))
            && uses.iter().any(|one| !one.is_test() && takes_behind(one, table, *at))
    })?;
    let name = &next.name;
    let delete = foremost(uses, |one| takes_behind(one, table, at))?;
    let from_the_end = |one: &&TableUse<'_>| one.is_service() && reads_the_end(one, table, at);
    if let Some(read) = uses.iter().find(from_the_end).filter(|_| deletes_run(delete, table, at)) {
        let message = format!(
            "rows of `{}` are read forward by `{name}` and deleted behind the reader; this read begins at the other end, and once all rows are taken it passes over what is left of them, kept for {}",
            table.name,
            kept(table)
        );
        let help = format!(
            "keep the last `{name}` in a row of its own, or ask behind the last one that is known: `AND {name} >= ?`"
        );
        let level = if is_named_a_queue(table) { loudest(table) } else { Level::Note };
        let finding = Finding::new(&RULE, read.place(), message).level(delete.level(level)).help(help);
        return Some(finding.related(delete.place(), "deleted here"));
    }
    let read = uses.iter().find(|one| one.is_service() && begins_at(one, table, at) && bounds(one, name, &FROM))?;
    let message = format!(
        "rows of `{}` are read forward by `{name}` and deleted behind the reader, as in a queue: it stays fast while each read begins behind the deleted rows",
        table.name
    );
    let help = format!(
        "let no read begin before the first row that is left (`AND {name} > ?` with what was taken last), and count the rows elsewhere: deleted ones are passed over for {}",
        kept(table)
    );
    let finding = Finding::new(&RULE, read.place(), message).level(Level::Note).help(help);
    Some(finding.related(delete.place(), "deleted here"))
}

/// A period is left behind with its tombstones; a shard is a queue of its own.
fn loudest(table: &Table) -> Level {
    if table.partition_key().any(time_part) { Level::Note } else { Level::Warning }
}

/// How long what is deleted stays, in words.
fn kept(table: &Table) -> String {
    let kept = table.gc_grace.as_ref().map_or(Some(DEFAULT_GC_GRACE), |(seconds, _)| *seconds);
    kept.map_or_else(|| "gc_grace_seconds".to_owned(), time_in_words)
}

/// The operators that bound a run from below, and from above.
const FROM: [Operator; 2] = [Operator::Greater, Operator::GreaterOrEqual];
const TO: [Operator; 2] = [Operator::Less, Operator::LessOrEqual];

/// Whether a statement compares a column by one of these operators.
fn bounds(one: &TableUse<'_>, name: &str, operators: &[Operator]) -> bool {
    relations(one.kind).iter().any(|relation| {
        matches!(&relation.kind, RelationKind::Column { column, operator, .. }
            if column.text == name && operators.contains(operator))
    })
}

/// Whether a statement names a run of rows that begins at this clustering column.
fn begins_at(one: &TableUse<'_>, table: &Table, at: usize) -> bool {
    one.reach(table) == Reach::Run { fixed: at, range: true }
}

/// Whether it deletes all up to a place.
fn deletes_run(one: &TableUse<'_>, table: &Table, at: usize) -> bool {
    let next = table.clustering().nth(at);
    one.deletes_rows() && begins_at(one, table, at) && next.is_some_and(|next| bounds(one, &next.name, &TO))
}

/// Whether it deletes what a reader has behind it. Old rows of a series are deleted up to a time as well, so that a
/// time (or a version) needs the name of a queue, or rows that are deleted as they were read: many at once, each by its key.
fn takes_behind(one: &TableUse<'_>, table: &Table, at: usize) -> bool {
    let Some(next) = table.clustering().nth(at) else { return false };
    let numbered = is_integer(&next.of) && !is_clock(next) && !has_word(&next.name, &["revision", "version"]);
    let named = is_named_a_queue(table) && (numbered || grows_with_time(next));
    let lists = || table.clustering().skip(at).all(|column| lists_values(one, &column.name));
    let rows = one.deletes_rows() && one.reach(table) == Reach::Rows;
    (deletes_run(one, table, at) && (numbered || named)) || (rows && (named || (grows_with_time(next) && lists())))
}

/// Whether a column is given as a list that is as long as the caller makes it.
fn lists_values(one: &TableUse<'_>, name: &str) -> bool {
    relations(one.kind).iter().any(|relation| {
        matches!(&relation.kind, RelationKind::Column { column, operator: Operator::In, list: false, .. } if column.text == name)
    })
}

/// Whether a read begins at the newest rows of a run, and ends after a few.
fn reads_the_end(one: &TableUse<'_>, table: &Table, at: usize) -> bool {
    let StatementKind::Select(select) = one.kind else { return false };
    let open = match one.reach(table) {
        Reach::Partition => at == 0,
        Reach::Run { fixed, range: false } => fixed == at,
        _ => false,
    };
    let Some(next) = table.clustering().nth(at).filter(|_| open) else { return false };
    let reversed = select.order_by.first().is_some_and(|order| order.descending != is_descending(next));
    is_descending(next) != reversed && select.limit.is_some() && !counts(select)
}

fn is_named_a_queue(table: &Table) -> bool {
    const NAMES: &[&str] = &["backlog", "job", "outbox", "queue", "spool", "task", "timer"];
    thing(table).is_some_and(|thing| NAMES.contains(&thing.as_str()))
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

/// Over a layout: a worker takes rows from the front of partitions that nothing cuts by time.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    use keyloom_model::Action;
    if keyloom_facts::Facts::of(context.engine).get("tombstones_warned").is_none() {
        return;
    }
    for (table, entity) in context.spread_tables() {
        let claims = context.served_by(&table.name).find_map(|plan| {
            let pattern = context.pattern_of(&plan.asked.question)?;
            matches!(pattern.action, Action::Claim(_)).then_some(pattern)
        });
        let Some(pattern) = claims.filter(|_| crate::partition::bucket(table).is_none()) else { continue };
        let message = format!(
            "`{}` takes rows from the front of `{}`, and steps over all that were taken before",
            pattern.name, table.name
        );
        let mut finding = Finding::new(&RULE, context.word_place(&table.name, "sort"), message)
            .limit(crate::context::limit(context.engine, "tombstones_warned").1)
            .help("cut the partition by time, `day(due_at)`: a day that is done is not read again");
        finding.derivation = left_behind(context, table, entity).map(|left| left.words);
        findings.push(finding);
    }
}
