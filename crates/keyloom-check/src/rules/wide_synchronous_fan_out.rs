use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::count_text;
use keyloom_model::layout::CopyRule;
use keyloom_store::Atomic;

use super::volatile_copy::copies;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "wide-synchronous-fan-out",
    level: Level::Warning,
    summary: "a change has to touch more rows than can be written together",
    page: include_str!("wide_synchronous_fan_out.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let rows_max = match context.program.abilities.atomic {
        Atomic::Row => 1,
        Atomic::Rows { rows_max, .. } => u64::from(rows_max),
    };
    let together = if rows_max == 1 { "1 row".to_owned() } else { format!("{} rows", count_text(rows_max)) };
    for copy in copies(context).iter().filter(|copy| copy.rule == CopyRule::Touch && !copy.writers.is_empty()) {
        let Some(worst) = copy.rows.worst.filter(|worst| *worst > rows_max.max(WIDE)) else { continue };
        let message = format!(
            "a change of `{}` by `{}` touches up to {} rows of `{}`, one after the other",
            copy.path,
            copy.writers[0],
            count_text(worst),
            copy.table.name
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&copy.table.name, "copies"), message)
                .derivation(format!("groups: {}; one decision there takes {together}", copy.rows))
                .help("look it up instead of copying it, or let the copy lag: `copy`, with `drift` in the catalog"),
        );
    }
}

/// Fewer rows are written in a moment.
const WIDE: u64 = 1_000;
