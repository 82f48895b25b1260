use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "stale-after-write",
    level: Level::Error,
    summary: "a pattern wants to see what was just written, and its table follows too late",
    page: include_str!("stale_after_write.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
