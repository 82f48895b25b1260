use keyloom_facts::Facts;
use keyloom_finding::Limit;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Bucket, Table};
use keyloom_model::{bytes_text, count_text};

use crate::context::limit;
use crate::partition::{Rows, bucket};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "oversized-partition",
    level: Level::Warning,
    summary: "the largest partition is larger than its engine holds well",
    page: include_str!("oversized_partition.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        // One partition for all rows is said as such.
        let Some(rows) = context.rows(table).filter(|rows| !rows.endless && rows.stated) else { continue };
        let Some(broken) = broken(context, table, &rows) else { continue };
        if table.partition.parts().is_empty() && broken.level < Level::Error {
            continue;
        }
        let message = format!("the largest partition of `{}` has {}", table.name, broken.has);
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .level(broken.level)
                .derivation(broken.derivation)
                .limit(broken.limit)
                .help(way_out(context, table)),
        );
    }
}

/// A limit that a partition breaks.
pub(crate) struct Broken {
    /// An error where the engine refuses, else a warning.
    pub level: Level,
    /// `14.6G rows`.
    pub has: String,
    /// How that is known.
    pub derivation: String,
    /// The limit.
    pub limit: Limit,
}

/// The limit of its engine that so many rows in a partition break, the hardest first.
pub(crate) fn broken(context: &LayoutContext<'_>, table: &Table, rows: &Rows) -> Option<Broken> {
    let known = |name: &str| Facts::of(context.engine).get(name).map(|_| limit(context.engine, name));
    let over = if rows.endless { " (after ten years)" } else { "" };
    let made = context.program.tables.iter().find(|made| made.name == table.name);
    // A row without columns has a cell all the same.
    let cells = made.map_or(1, |made| made.groups.iter().map(|group| group.columns.len() as u64).sum::<u64>().max(1));
    let bytes = context.row_size(table).typical;
    let limits = [
        ("partition_cells", cells, Level::Error, format!("x {cells} cells")),
        ("partition_bytes", bytes, Level::Warning, format!("x {}", bytes_text(bytes))),
        ("partition_rows", 1, Level::Warning, String::new()),
    ];
    limits.into_iter().find_map(|(name, each, level, times)| {
        let (fact, limit) = known(name)?;
        let total = rows.worst.saturating_mul(each);
        let shown = match name {
            "partition_bytes" => bytes_text(total),
            "partition_cells" => format!("{} cells", count_text(total)),
            _ => format!("{} rows", count_text(total)),
        };
        let derivation = if times.is_empty() {
            format!("{}{over}", rows.words)
        } else {
            format!("{}{over} {times} = {shown}", rows.words)
        };
        (total > fact.value).then_some(Broken { level, has: shown, derivation, limit })
    })
}

/// The coarsest cut that helps, with its effect: one that breaks no limit, else one that the engine does not refuse.
pub(crate) fn way_out(context: &LayoutContext<'_>, table: &Table) -> String {
    let steps = [Bucket::Year, Bucket::Month, Bucket::Day, Bucket::Hour];
    let cut = |accepts: fn(&Option<Broken>) -> bool| {
        steps.into_iter().find_map(|step| {
            let rows = context.rows_by(table, Some(step)).filter(|rows| rows.stated)?;
            let name = step.name();
            let words =
                format!("cut it by time: with `{name}(..)` a partition has at most {} rows", count_text(rows.worst));
            accepts(&broken(context, table, &rows)).then_some(words)
        })
    };
    let whole = cut(Option::is_none);
    whole.or_else(|| cut(|broken| broken.as_ref().is_none_or(|broken| broken.level < Level::Error))).unwrap_or_else(|| {
        let finer = bucket(table).map_or("", |_| "a finer bucket, ");
        format!("{finer}a field more in its partition, or `spread: {{ rows: 50k, at_most: 64 }}`: reads then ask each part")
    })
}
