use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "projection-as-truth",
    level: Level::Error,
    summary: "the only copy of an entity is a projection",
    page: include_str!("projection_as_truth.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
