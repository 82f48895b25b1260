use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "misfit-requirement",
    level: Level::Error,
    summary: "rows are to be decided together, and the engine decides one at a time",
    page: include_str!("misfit_requirement.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
