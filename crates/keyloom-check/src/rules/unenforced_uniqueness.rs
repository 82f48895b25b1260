use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "unenforced-uniqueness",
    level: Level::Error,
    summary: "a unique of the catalog has no table of reservations",
    page: include_str!("unenforced_uniqueness.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
