use keyloom_facts::Facts;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::Table;
use keyloom_model::{Action, Entity, Share, TimeSpan, TimeUnit, count_text};

use crate::context::limit;
use crate::load::takes_away;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "tombstone-heavy-read",
    level: Level::Warning,
    summary: "a list begins where many rows have left",
    page: include_str!("tombstone_heavy_read.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let Some(fact) = Facts::of(context.engine).get("tombstones_warned") else { return };
    for (table, entity) in context.spread_tables() {
        let read = context.served_by(&table.name).any(|plan| {
            let pattern = context.pattern_of(&plan.asked.question);
            pattern.is_some_and(|pattern| matches!(pattern.action, Action::Read(_)))
        });
        let Some(left) = left_behind(context, table, entity).filter(|left| read && left.rows > fact.value as f64)
        else {
            continue;
        };
        let message = format!(
            "a partition of `{}` holds {} rows that have left",
            table.name,
            count_text(left.rows.round() as u64)
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "sort"), message)
                .derivation(left.words)
                .limit(limit(context.engine, "tombstones_warned").1)
                .help(
                    "add a bucket to the partition, so that what has left is left behind; or read from the other end",
                ),
        );
    }
}

/// Rows that have left a partition and are remembered there.
pub(crate) struct Left {
    pub(crate) rows: f64,
    pub(crate) words: String,
}

/// What has left the busiest partition of a table and is not forgotten yet; known only where the partition is one for all
/// rows, or one for each tenant.
pub(crate) fn left_behind(context: &LayoutContext<'_>, table: &Table, entity: &Entity) -> Option<Left> {
    if !context.parts_beside_tenant(table, entity).is_empty() {
        return None;
    }
    let one = !context.has_tenant(table, entity);
    let share = if one { Share::ALL } else { context.catalog.tenant.as_ref()?.busiest? };
    let grace = context.program.horizons.grace_ms.max(0) as u64;
    let days = grace as f64 / TimeUnit::Day.milliseconds() as f64;
    let (mut rows, mut words) = (0.0, Vec::new());
    for plan in context.program.writes.iter().filter(|plan| takes_away(plan, table)) {
        let a_day = context.catalog.pattern(&plan.pattern)?.rate.mean_per_day()?;
        rows += a_day * share.factor() * days;
        words.push(format!("`{}` {}/day", plan.pattern, count_text(a_day.round() as u64)));
    }
    let grace = TimeSpan::new(grace / TimeUnit::Hour.milliseconds(), TimeUnit::Hour);
    let words =
        format!("({}) x {share} x {grace} of grace = {} rows", words.join(" + "), count_text(rows.round() as u64));
    (rows > 0.0).then_some(Left { rows, words })
}
