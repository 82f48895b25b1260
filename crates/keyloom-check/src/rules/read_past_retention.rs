use keyloom_finding::{Finding, Level, Rule};
use keyloom_plan::{Component, Reach, selection};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "read-past-retention",
    level: Level::Warning,
    summary: "a read looks further back than rows are kept",
    page: include_str!("read_past_retention.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for plan in &context.program.reads {
        let Reach::Slice(slice) = &plan.access.reach else { continue };
        let cut = slice.partition.iter().any(|component| matches!(component, Component::Buckets { .. }));
        let (Some(selection), Some(entity)) =
            (selection(context.catalog, &plan.asked), context.base.entity(&plan.asked.entity))
        else {
            continue;
        };
        let (Some(span), Some(kept)) = (selection.span.and_then(|span| span.worst), entity.kept_for()) else {
            continue;
        };
        let Some(pattern) = context.pattern_of(&plan.asked.question).filter(|_| cut) else { continue };
        if span.milliseconds() <= kept.milliseconds() || seen.contains(&pattern.name.as_str()) {
            continue;
        }
        seen.push(&pattern.name);
        let message = format!("`{}` looks back {span}, and rows of {} end after {kept}", pattern.name, entity.name);
        findings.push(
            Finding::new(&RULE, context.base.value(&format!("patterns.{}.span", pattern.name)), message)
                .help(format!("state a `span` of at most {kept}: buckets behind it are read in vain")),
        );
    }
}
