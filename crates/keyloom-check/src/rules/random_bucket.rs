use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "random-bucket",
    level: Level::Error,
    summary: "a source is cut by a time that a read by identity does not know",
    page: include_str!("random_bucket.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
