use keyloom_facts::Facts;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, count_text};
use keyloom_plan::ReadPlan;

use super::oversized_partition::broken;
use crate::context::limit;
use crate::partition::bucket;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "overbucketed-partition",
    level: Level::Warning,
    summary: "time is cut into buckets, and the whole would fit into one partition",
    page: include_str!("overbucketed_partition.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        let Some((step, field)) = bucket(table) else { continue };
        // The rows that a worker takes leave holes at the end that is read; buckets keep them out of the way.
        let claimed = |plan: &ReadPlan| {
            let pattern = context.pattern_of(&plan.asked.question);
            pattern.is_some_and(|pattern| matches!(pattern.action, Action::Claim(_)))
        };
        let Some(rows) = context.rows_by(table, None).filter(|rows| rows.stated && !rows.endless) else { continue };
        let limited = Facts::of(context.engine).get("partition_rows").is_some();
        if !limited || broken(context, table, &rows).is_some() || context.served_by(&table.name).any(claimed) {
            continue;
        }
        let reads = context.served_by(&table.name).filter_map(|plan| plan.at_most).map(|most| most.partitions).max();
        let Some(reads) = reads.filter(|reads| *reads > 1) else { continue };
        let message = format!(
            "`{}({field})` cuts `{}` into buckets that nothing needs: a page reads up to {} of them",
            step.name(),
            table.name,
            count_text(reads)
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .derivation(format!("without it the largest partition has {}", rows.words))
                .limit(limit(context.engine, "partition_rows").1)
                .help("take the bucket out, or take a coarser one"),
        );
    }
}
