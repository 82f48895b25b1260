use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "random-bucket",
    level: Level::Error,
    summary: "a source is cut by a time that a read by identity does not know",
    page: include_str!("random_bucket.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let help = "partition the source by what identifies a row; a projection can have the bucket";
    findings.extend(context.refused(&RULE).into_iter().map(|finding| finding.help(help)));
}
