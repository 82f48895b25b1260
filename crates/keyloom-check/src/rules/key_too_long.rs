use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "key-too-long",
    level: Level::Error,
    summary: "a key may be longer than the engine takes",
    page: include_str!("key_too_long.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
