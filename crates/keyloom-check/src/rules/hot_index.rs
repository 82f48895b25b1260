use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Holds, Keeper};

use super::hot_partition::broken;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "hot-index",
    level: Level::Warning,
    summary: "the busiest key of an index takes more than the engine gives one partition",
    page: include_str!("hot_index.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        if !matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. }) {
            continue;
        }
        for broken in broken(context, table) {
            let mut message =
                format!("the busiest partition of the index `{}` takes {} a second", table.name, broken.units);
            if broken.writes {
                message.push_str(", and the writes of its table wait for it");
            }
            findings.push(
                Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                    .derivation(broken.derivation)
                    .limit(broken.limit)
                    .help("add a field to the partition of the index, or keep a projection that follows: `keeper: placed`"),
            );
        }
    }
}
