use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "oversized-transaction",
    level: Level::Error,
    summary: "a write has more rows than one transaction of the engine takes",
    page: include_str!("oversized_transaction.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
