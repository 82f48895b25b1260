use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Distribution;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "average-only-estimate",
    level: Level::Warning,
    summary: "a size is stated by its typical value alone",
    page: include_str!("average_only_estimate.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut report = |path: String, rows: &Distribution<u64>, what: String| {
        if rows.typical.is_some() && (rows.p99.is_none() || rows.worst.is_none()) {
            // With the worst known, everything is bounded; how many come near it is then only not known.
            let (message, level) = if rows.worst.is_none() {
                let message = format!(
                    "{what} is stated by what is typical, without its worst: partitions break at the worst, not at the average"
                );
                (message, Level::Warning)
            } else {
                (format!("{what} has no p99, so all but the typical ones are taken for the worst"), Level::Note)
            };
            findings.push(
                Finding::new(&RULE, context.value(&path), message)
                    .level(level)
                    .help("state all three: `40 / 5k / 200k` (typical / p99 / worst)"),
            );
        }
    };
    for entity in &context.catalog.entities {
        for (at, group) in entity.groups.iter().enumerate() {
            let by = if group.by.is_empty() { "everything".to_owned() } else { format!("one {}", group.by.join(", ")) };
            report(format!("entities.{}.groups.{at}", entity.name), &group.rows, format!("the group of {by}"));
        }
    }
    for pattern in &context.catalog.patterns {
        if let Some(group) = pattern.selection().and_then(|selection| selection.group) {
            report(format!("patterns.{}.group", pattern.name), &group, format!("the group of `{}`", pattern.name));
        }
        for with in pattern.read().iter().flat_map(|read| &read.with) {
            if let Some(group) = with.read.selection.group {
                let path = format!("patterns.{}.with.{}.group", pattern.name, with.name);
                report(path, &group, format!("the group of `{}.{}`", pattern.name, with.name));
            }
        }
    }
}
