use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::count_text;

use super::oversized_partition::broken;
use crate::partition::Rows;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "noisy-tenant",
    level: Level::Warning,
    summary: "the largest tenant breaks a limit that the others keep",
    page: include_str!("noisy_tenant.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let Some(tenant) = &context.catalog.tenant else { return };
    let (Some(count), Some(busiest)) = (tenant.count, tenant.busiest) else { return };
    for (table, entity) in context.spread_tables() {
        let alone = context.has_tenant(table, entity) && context.parts_beside_tenant(table, entity).is_empty();
        let all = entity.volume.and_then(|volume| volume.rows).filter(|_| alone && table.filter.is_none());
        let Some(all) = all else { continue };
        let rows =
            |rows: u64| Rows { worst: rows, words: format!("{} rows", count_text(rows)), stated: true, endless: false };
        let largest = (all as f64 * busiest.factor()) as u64;
        let others = rows(all.saturating_sub(largest) / count.saturating_sub(1).max(1));
        let Some(broken) = broken(context, table, &rows(largest)).filter(|_| broken(context, table, &others).is_none())
        else {
            continue;
        };
        let message = format!("the largest tenant alone has {} in one partition of `{}`", broken.has, table.name);
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .derivation(format!(
                    "{} rows x {busiest} = {} rows; the other {} tenants have {} on average",
                    count_text(all),
                    count_text(largest),
                    count_text(count.saturating_sub(1)),
                    others.words
                ))
                .limit(broken.limit)
                .help("`spread: { rows: 50k, at_most: 64 }` divides only the partitions that have grown; or add a field that a caller can name"),
        );
    }
}
